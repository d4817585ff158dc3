package campaign

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A store is the directory of a campaign:
//
//	campaign.json                  what was run, and how it ended
//	findings/<slug>/original.trace as it was generated
//	findings/<slug>/minimal.trace  what is left of it
//	findings/<slug>/minimal.log    the same with the answers that were observed
//	findings/<slug>/finding.json   everything that is known
//	findings/<slug>/stderr.txt     what a dying target wrote
//
// A finding appears whole or not at all: it is written beside its place, synced
// and renamed.
type store struct {
	dir     string
	program string
	record  campaignRecord
}

type campaignRecord struct {
	Target    targetRecord `json:"target"`
	Model     string       `json:"model"`
	Seed      uint64       `json:"seed"`
	Shard     uint64       `json:"shard"`
	Way       replay.Way   `json:"way"`
	Workers   int          `json:"workers"`
	Without   []string     `json:"without,omitempty"`
	Started   time.Time    `json:"started"`
	Ended     *time.Time   `json:"ended,omitempty"`
	Stats     *Stats       `json:"stats,omitempty"`
	Findings  []string     `json:"findings,omitempty"`
	Generator string       `json:"generator"`
}

type targetRecord struct {
	Name      string            `json:"name"`
	Kind      replay.Kind       `json:"kind"`
	Signature string            `json:"signature"`
	Options   []replay.Setting  `json:"options,omitempty"`
	Policies  map[string]string `json:"policies,omitempty"`
	replay.Identity
}

// openStore makes the directory, so that one that cannot be written is said at
// the beginning and not with the first finding.
func openStore(config Config, signature string) (*store, error) {
	s := &store{dir: config.Out, program: config.Program, record: campaignRecord{
		Target: targetRecord{Name: config.Target.Name, Kind: config.Target.Kind, Signature: signature,
			Options: config.Target.Settings, Policies: config.Target.Policies, Identity: config.Target.Identify()},
		Model: config.Target.Model.Name, Seed: config.Seed, Shard: config.Shard, Way: config.Way,
		Workers: config.Workers, Without: config.Without, Started: time.Now().UTC(), Generator: "tiny/1",
	}}
	if err := os.MkdirAll(filepath.Join(s.dir, "findings"), 0o755); err != nil {
		return nil, &DirectoryError{Dir: s.dir, Err: err}
	}
	if err := s.write("campaign.json", s.record); err != nil {
		return nil, &DirectoryError{Dir: s.dir, Err: err}
	}
	return s, nil
}

// A DirectoryError is a directory for findings that cannot be used.
type DirectoryError struct {
	Dir string
	Err error
}

func (e *DirectoryError) Error() string {
	return fmt.Sprintf("findings cannot be stored in %s: %v (name another directory with --out)", e.Dir, e.Err)
}

func (e *DirectoryError) Unwrap() error { return e.Err }

func (s *store) finish(summary Summary) error {
	now := time.Now().UTC()
	s.record.Ended, s.record.Stats = &now, &summary.Stats
	for _, f := range summary.Found {
		if f.Dir == "" {
			continue
		}
		s.record.Findings = append(s.record.Findings, filepath.Base(f.Dir))
	}
	if err := s.write("campaign.json", s.record); err != nil {
		return &DirectoryError{Dir: s.dir, Err: err}
	}
	return nil
}

// put stores a finding. One that is there from an earlier run stays as it is.
func (s *store) put(f *Found) error {
	f.Dir = filepath.Join(s.dir, "findings", f.Slug(s.record.Target.Name))
	if _, err := os.Stat(filepath.Join(f.Dir, "finding.json")); err == nil {
		f.Again = true
		return nil
	}
	if err := s.putNew(f); err != nil {
		f.Dir = ""
		return &DirectoryError{Dir: s.dir, Err: err}
	}
	return nil
}

func (s *store) putNew(f *Found) error {
	beside, err := os.MkdirTemp(s.dir, ".finding-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(beside)
	if err := os.Chmod(beside, 0o755); err != nil {
		return err
	}
	record, err := json.MarshalIndent(s.recordOf(f), "", "  ")
	if err != nil {
		return err
	}
	minimal := f.Minimal.Clone()
	minimal.Notes = append(minimal.Notes, "finding: "+f.Key, "observed: "+f.Observed, "expected: "+f.Expected)
	files := map[string][]byte{
		"original.trace": f.Original.AppendText(nil),
		"minimal.trace":  minimal.AppendText(nil),
		"minimal.log":    minimal.AppendLog(nil, &f.Run),
		"finding.json":   append(record, '\n'),
	}
	if f.Run.Death.Stderr != "" {
		files["stderr.txt"] = []byte(f.Run.Death.Stderr)
	}
	for name, text := range files {
		if err := writeSynced(filepath.Join(beside, name), text); err != nil {
			return err
		}
	}
	if err := os.Rename(beside, f.Dir); err != nil {
		return err
	}
	return syncDir(filepath.Dir(f.Dir))
}

func (s *store) write(name string, v any) error {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	path := filepath.Join(s.dir, name)
	if err := writeSynced(path+".new", append(text, '\n')); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

func writeSynced(path string, text []byte) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	return errors.Join(err, file.Sync(), file.Close())
}

func syncDir(path string) error {
	dir, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

type findingRecord struct {
	Key      string       `json:"key"`
	Class    string       `json:"class"`
	Name     string       `json:"class_name"`
	Check    string       `json:"check"`
	Detail   string       `json:"detail"`
	Weights  string       `json:"weight_class"`
	Call     int          `json:"call"` // of the minimal trace, counted from 1; one more than there are: the final release
	CallText string       `json:"call_text,omitempty"`
	Instance uint16       `json:"instance"`
	Observed string       `json:"observed"`
	Expected string       `json:"expected"`
	Known    string       `json:"known_by"`
	Target   targetRecord `json:"target"`
	Model    string       `json:"model"`
	Seed     string       `json:"seed"`
	Shard    uint64       `json:"shard"`
	Number   uint64       `json:"number"`
	History  int          `json:"history,omitempty"` // earlier traces of the process that are part of the minimal trace
	MetIn    string       `json:"met_while_reducing,omitempty"`
	Original int          `json:"original_calls"`
	Minimal  int          `json:"minimal_calls"`
	Least    bool         `json:"is_minimal"` // nothing can be left out of it
	Tests    int          `json:"reduction_tests"`
	Rate     Rate         `json:"confirmed"` // runs of the minimal trace, each in a fresh process
	After    uint64       `json:"after_traces"`
	Elapsed  float64      `json:"after_seconds"`
	Death    *deathRecord `json:"death,omitempty"`
	Replay   string       `json:"replay"`
	Found    time.Time    `json:"found"`
}

type deathRecord struct {
	How     string        `json:"how"`
	Signal  int           `json:"signal,omitempty"`
	Address string        `json:"fault_address,omitempty"`
	Exit    *int          `json:"exit_code,omitempty"`
	Frames  []trace.Frame `json:"frames,omitempty"`
}

func (s *store) recordOf(f *Found) findingRecord {
	r := findingRecord{
		Key: f.Key, Class: string(f.Class), Name: f.Class.Info().Name, Check: f.Check, Detail: f.Detail,
		Weights: f.Weight.String(), Call: f.Call + 1, Instance: f.Instance, Observed: f.Observed,
		Expected: f.Expected, Known: f.Known, Target: s.record.Target, Model: s.record.Model,
		Seed: fmt.Sprintf("%#016x", f.Seed), Shard: s.record.Shard, Number: f.Number, History: f.History, MetIn: f.MetIn,
		Original: len(f.Original.Calls), Minimal: len(f.Minimal.Calls), Least: f.IsMinimal, Tests: f.Tests, Rate: f.Rate, After: f.After,
		Elapsed: f.Elapsed.Seconds(), Replay: s.replayCommand(f), Found: time.Now().UTC(),
	}
	if f.Call < len(f.Minimal.Calls) {
		r.CallText = string(f.Minimal.AppendCall(nil, f.Call))
	}
	if f.Run.End != trace.Finished {
		d := &deathRecord{How: f.Run.End.String(), Signal: f.Run.Death.Signal, Frames: f.Run.Death.Frames}
		if f.Run.Death.Address != 0 {
			d.Address = fmt.Sprintf("%#x", f.Run.Death.Address)
		}
		if f.Run.End == trace.Exited {
			d.Exit = &f.Run.Death.ExitCode
		}
		r.Death = d
	}
	return r
}

func (s *store) replayCommand(f *Found) string {
	return ReplayCommand(s.program, filepath.Join(f.Dir, "minimal.trace"), s.record.Target.Name)
}

// ReplayCommand is what a person types to see a finding again.
func ReplayCommand(program, path, target string) string {
	return fmt.Sprintf("%s replay %s --target %s", program, shellWord(path), shellWord(target))
}

// shellWord quotes a word for the shell where it needs that.
func shellWord(word string) string {
	for _, ch := range word {
		plain := ch >= 'a' && ch <= 'z' || ch >= 'A' && ch <= 'Z' || ch >= '0' && ch <= '9'
		switch {
		case plain, ch == '/', ch == '.', ch == '-', ch == '_', ch == ':', ch == '=', ch == ',', ch == '@', ch == '+':
		default:
			quoted := "'"
			for _, ch := range word {
				if ch == '\'' {
					quoted += `'\''`
				} else {
					quoted += string(ch)
				}
			}
			return quoted + "'"
		}
	}
	return word
}
