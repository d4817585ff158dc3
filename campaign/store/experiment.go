package store

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/ipafuzz/ipafuzz/campaign/cause"
)

// An ExperimentRecord describes a version of the minimal trace in finding.json.
type ExperimentRecord struct {
	Variant       string `json:"variant"`
	File          string `json:"file"` // below the directory of the finding
	Failed        bool   `json:"failed"`
	Control       string `json:"control,omitempty"` // the file of its control; "" if it failed or has none
	ControlFailed bool   `json:"control_failed,omitempty"`
}

// experimentsOf returns the records of the experiments of a diagnosis.
func experimentsOf(d *cause.Diagnosis) (records []ExperimentRecord) {
	seen := make(map[string]int)
	for i := range d.Experiments {
		e := &d.Experiments[i]
		name := e.Variant
		if seen[e.Variant]++; seen[e.Variant] > 1 {
			name = fmt.Sprintf("%s-%d", name, seen[e.Variant])
		}
		r := ExperimentRecord{Variant: e.Variant, File: "experiments/" + name + ".trace", Failed: e.Failed,
			ControlFailed: e.ControlFailed}
		if e.Control != "" {
			r.Control = "experiments/" + name + "-control.trace"
		}
		records = append(records, r)
	}
	return records
}

// questionedFile is the minimal trace that asks every question, below the directory of the finding.
const questionedFile = "experiments/all-questions.trace"

// experimentFiles returns the traces of the experiments of a diagnosis, by file.
func experimentFiles(d *cause.Diagnosis) map[string][]byte {
	files := make(map[string][]byte)
	if d.Questioned != "" {
		files[questionedFile] = noted(d.Questioned, "all questions about the answers", true)
	}
	for i, r := range experimentsOf(d) {
		e := &d.Experiments[i]
		files[r.File] = noted(e.Trace, "without "+r.Variant, e.Failed)
		if r.Control != "" {
			files[r.Control] = noted(e.Control, "control: the additions of the version without "+r.Variant, e.ControlFailed)
		}
	}
	return files
}

// noted returns the text of a trace, with a note that says whether the trace failed.
func noted(text, what string, failed bool) []byte {
	result := "it did not fail"
	if failed {
		result = "it failed"
	}
	head, rest, _ := strings.Cut(text, "\n")
	if strings.HasPrefix(rest, "# experiment: ") {
		return []byte(text)
	}
	return fmt.Appendf(nil, "%s\n# experiment: %s: %s\n%s", head, what, result, rest)
}

// diagnosis returns the diagnosis of a stored finding with its experiments, or nil if the cause is unknown.
func (s *FindingRecord) diagnosis() (*cause.Diagnosis, error) {
	if s.Cause == "" {
		return nil, nil
	}
	d := &cause.Diagnosis{Cause: s.Cause, Sentence: s.Sentence, Of: s.ExperimentsOf, Mistake: s.Mistake}
	if s.Mistake != "" {
		text, err := os.ReadFile(filepath.Join(s.Dir, filepath.FromSlash(questionedFile)))
		if err != nil {
			return nil, err
		}
		d.Questioned = string(text)
	}
	for _, r := range s.Experiments {
		e := cause.Experiment{Variant: r.Variant, Failed: r.Failed, ControlFailed: r.ControlFailed}
		for _, file := range []struct {
			name string
			into *string
		}{{r.File, &e.Trace}, {r.Control, &e.Control}} {
			if file.name == "" || !filepath.IsLocal(file.name) {
				continue
			}
			text, err := os.ReadFile(filepath.Join(s.Dir, file.name))
			if err != nil {
				return nil, err
			}
			*file.into = string(text)
		}
		d.Experiments = append(d.Experiments, e)
	}
	return d, nil
}
