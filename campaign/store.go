package campaign

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A store is the directory of a campaign:
//
//	campaign.json                  what was run, and how it ended
//	state.json                     what a run that goes on needs, written every second
//	stats.jsonl                    what had been counted, a line now and then
//	.lock                          locked by the run that writes here, with its process number
//	archive/findings.traces.zst    the traces of all findings
//	archive/run-0001.traces.zst    every trace of the run, if it is to be kept
//	findings/<slug>/original.trace as it was generated
//	findings/<slug>/minimal.trace  what is left of it
//	findings/<slug>/original-2.trace, minimal-2.trace   another trace of the same key, and so on
//	findings/<slug>/minimal.log    the same with the answers that were observed
//	findings/<slug>/originals/     up to five other traces that showed it, as they were generated
//	findings/<slug>/hits.jsonl     which traces showed it: the first thousand
//	findings/<slug>/repro.c        a program of its own that shows the fault
//	findings/<slug>/finding.json   everything that is known
//	findings/<slug>/stderr.txt     what a dying target wrote
//	findings/<slug>/certificate.cnf, certificate.lrat   a formula without solutions that
//	                               shows what is right, and the proof
//
// A finding appears whole or not at all: it is written beside its place, synced
// and renamed.
type store struct {
	dir    string
	c      *Campaign
	lock   *os.File // held while the campaign runs
	record campaignRecord

	mu sync.Mutex // held while a finding or what belongs to it is written
}

type campaignRecord struct {
	Targets     []targetRecord    `json:"targets"`
	Against     []targetRecord    `json:"against,omitempty"`
	Cells       []cellRecord      `json:"cells"`
	Run         string            `json:"run"` // tells the run from others, for ever
	Seed        uint64            `json:"seed"`
	Shard       uint64            `json:"shard"`
	Of          uint64            `json:"of,omitempty"`    // so many shards
	Parts       []Part            `json:"parts,omitempty"` // what it was joined from
	Way         replay.Way        `json:"way"`
	Avoid       []string          `json:"avoid,omitempty"` // traces that have one of these are not run
	Workers     int               `json:"workers"`
	Fair        bool              `json:"fair,omitempty"`
	Started     time.Time         `json:"started"`
	Ended       *time.Time        `json:"ended,omitempty"`
	Stats       *Stats            `json:"stats,omitempty"`
	Findings    []string          `json:"findings,omitempty"`
	Disputed    uint64            `json:"disputed,omitempty"`    // answers that targets differ in while nothing proves who is right
	Hits        map[string]uint64 `json:"hits,omitempty"`        // runs that showed a finding, by its key
	Unconfirmed []string          `json:"unconfirmed,omitempty"` // keys that were seen and did not happen again
	Tally       *oracle.Tally     `json:"tally,omitempty"`
	Measures    *Measures         `json:"measures,omitempty"`
}

// A cellRecord says what a cell is: its target, the traces that it makes, and the
// seed for which 'ipafuzz gen' makes them.
type cellRecord struct {
	Target   string         `json:"target"`
	Kind     string         `json:"kind"` // of traces, in a word or the flags that choose them
	Seed     uint64         `json:"seed"`
	Generate generateRecord `json:"generate"`
}

// A generateRecord says what traces were made: what was asked for by name, and
// the bounds that were given; 0 is the profile's own.
type generateRecord struct {
	Profile   string   `json:"profile"`
	Family    string   `json:"family,omitempty"`
	Schedule  string   `json:"schedule,omitempty"`
	Without   []string `json:"without,omitempty"`
	Plant     string   `json:"plant,omitempty"`
	From      string   `json:"from,omitempty"` // the flags of what else made the traces
	MaxVars   int      `json:"max_vars,omitempty"`
	MaxCalls  int      `json:"max_calls,omitempty"`
	MaxWeight uint64   `json:"max_weight,omitempty"`
	MaxSum    uint64   `json:"max_sum,omitempty"`
}

type targetRecord struct {
	Name      string            `json:"name"`
	Model     string            `json:"model"`
	Kind      replay.Kind       `json:"kind"`
	Signature string            `json:"signature"`
	Options   []replay.Setting  `json:"options,omitempty"`
	Policies  map[string]string `json:"policies,omitempty"`
	replay.Identity
}

// openStore makes the directory, so that one that cannot be written is said at
// the beginning and not with the first finding.
func (c *Campaign) openStore() (*store, error) {
	config := &c.config
	s := &store{dir: config.Out, c: c, record: campaignRecord{Run: rand.Text(), Seed: config.Seed, Shard: config.Shard, Of: config.Of, Way: config.Way, Avoid: config.Avoid,
		Workers: config.Workers, Fair: config.Fair, Started: time.Now().UTC()}}
	for i := range c.subjects {
		record := recordOfTarget(&c.subjects[i])
		if i < c.fuzzed {
			s.record.Targets = append(s.record.Targets, record)
		} else {
			s.record.Against = append(s.record.Against, record)
		}
	}
	for _, of := range c.cells {
		s.record.Cells = append(s.record.Cells, cellRecord{of.Target.Name, of.kind(), of.seed, of.record()})
	}
	if err := os.MkdirAll(filepath.Join(s.dir, "findings"), 0o755); err != nil {
		return nil, &DirectoryError{Dir: s.dir, Err: err}
	}
	lock, err := lockDir(s.dir)
	if err != nil {
		return nil, &DirectoryError{Dir: s.dir, Err: err}
	}
	s.lock, c.store = lock, s
	if config.Resume {
		if c.resumed, err = c.resume(); err != nil {
			lock.Close()
			return nil, err
		}
	}
	if err = s.write("campaign.json", s.record); err == nil && !c.resumed {
		err = s.forget()
	}
	if err != nil {
		lock.Close()
		return nil, &DirectoryError{Dir: s.dir, Err: err}
	}
	return s, nil
}

// forget removes what an earlier run has counted. Its findings stay.
func (s *store) forget() error {
	for _, name := range []string{"state.json", "stats.jsonl"} {
		if err := os.Remove(filepath.Join(s.dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

func (c *Cell) record() generateRecord {
	g, from := &c.Generate, ""
	if c.From != nil {
		from = strings.TrimSpace(c.From.Flags())
	}
	return generateRecord{From: from, Profile: g.ProfileName(), Family: g.Family, Schedule: g.Schedule, Without: g.Without, Plant: g.PlantFile,
		MaxVars: g.MaxVars, MaxCalls: g.MaxCalls, MaxWeight: g.MaxWeight, MaxSum: g.MaxSum}
}

func recordOfTarget(t *subject) targetRecord {
	return targetRecord{Name: t.Name, Model: t.Model.Name, Kind: t.Kind, Signature: t.signature, Options: t.Settings, Policies: t.Policies, Identity: t.Identify()}
}

// targetOf is the record of the target that the finding is about.
func (s *store) targetOf(f *Found) targetRecord {
	return slices.Concat(s.record.Targets, s.record.Against)[f.target]
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

// finish writes down how the run ended, and lets go of the directory.
func (c *Campaign) finish(summary Summary) error {
	err := errors.Join(c.saveOnce(true), c.archivist.finish())
	if unkept := archiveFindings(c.store.dir); unkept != nil {
		err = errors.Join(err, &DirectoryError{Dir: c.store.dir, Err: unkept})
	}
	return errors.Join(err, c.store.finish(summary))
}

func (s *store) finish(summary Summary) error {
	defer s.lock.Close()
	now := time.Now().UTC()
	s.record.Ended, s.record.Stats, s.record.Disputed = &now, &summary.Stats, summary.Disputed
	s.record.Measures, s.record.Tally, s.record.Hits = summary.Measures, &summary.Tally, make(map[string]uint64)
	for _, u := range summary.Unconfirmed {
		s.record.Unconfirmed = append(s.record.Unconfirmed, u.Key)
	}
	for _, f := range summary.Found {
		s.record.Hits[f.Key] = f.Hits
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

// put stores a finding. One that is there from an earlier run stays as it is,
// unless it rests on a vote and this one is proven.
func (s *store) put(f *Found) error {
	f.Dir = s.dirOf(f)
	if text, err := os.ReadFile(filepath.Join(f.Dir, "finding.json")); err == nil {
		var there findingRecord
		if f.Voted || json.Unmarshal(text, &there) != nil || !there.Voted {
			f.Again = true
			return nil
		}
	}
	return s.replace(f)
}

// replace stores a finding in the place of what may be there.
func (s *store) replace(f *Found) error {
	f.Dir = s.dirOf(f)
	if err := s.putNew(f); err != nil {
		f.Dir = ""
		return &DirectoryError{Dir: s.dir, Err: err}
	}
	return nil
}

func (s *store) dirOf(f *Found) string {
	return filepath.Join(s.dir, "findings", f.Slug(f.Target))
}

func (s *store) putNew(f *Found) error {
	s.mu.Lock()
	defer s.mu.Unlock()
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
	minimal.Notes = append(minimal.Notes, f.minimizedNote(), "target: "+f.Target, "finding: "+f.Key, "observed: "+f.Observed, "expected: "+f.Expected)
	minimal.Notes = append(minimal.Notes, limitsNotes(s.c.config.Limits)...)
	files := map[string][]byte{
		"original.trace": f.Original.AppendText(nil),
		"minimal.trace":  minimal.AppendText(nil),
		"minimal.log":    minimal.AppendLog(nil, &f.Run),
		"finding.json":   append(record, '\n'),
	}
	if c := f.Certificate; c != nil {
		var formula bytes.Buffer
		if err := c.WriteFormula(&formula); err != nil {
			return err
		}
		files["certificate.cnf"], files["certificate.lrat"] = formula.Bytes(), c.Proof
	}
	for i, v := range f.Variants {
		files[fmt.Sprintf("original-%d.trace", i+2)] = v.Original.AppendText(nil)
		files[fmt.Sprintf("minimal-%d.trace", i+2)] = v.Minimal.AppendText(nil)
	}
	if f.Program != nil {
		files["repro.c"] = f.Program.Text
	}
	if said := cmp.Or(f.Run.Death.Stderr, f.Run.Output.Text); said != "" {
		files["stderr.txt"] = []byte(said)
	}
	for name, text := range files {
		if err := writeSynced(filepath.Join(beside, name), text); err != nil {
			return err
		}
	}
	// A finding that it takes the place of is then beside, and goes with that.
	err = unix.Renameat2(unix.AT_FDCWD, beside, unix.AT_FDCWD, f.Dir, unix.RENAME_EXCHANGE)
	if err != nil {
		err = os.Rename(beside, f.Dir)
	}
	if err != nil {
		return err
	}
	for _, name := range []string{"hits.jsonl", "originals"} { // it keeps those
		if err := os.Rename(filepath.Join(beside, name), filepath.Join(f.Dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return syncDir(filepath.Dir(f.Dir))
}

// putDisagreement keeps what a report of a bug of ours needs, and returns where.
func (s *store) putDisagreement(d *DisagreementError) string {
	dir := filepath.Join(s.dir, "internal-error")
	if os.MkdirAll(dir, 0o755) != nil {
		return ""
	}
	for name, text := range map[string][]byte{
		"disagreement.trace": d.Trace.AppendText(nil),
		"disagreement.log":   d.Trace.AppendLog(nil, &d.Run),
		"error.txt":          []byte(d.Err.Error() + "\n"),
	} {
		if writeSynced(filepath.Join(dir, name), text) != nil {
			return ""
		}
	}
	return dir
}

// putViolation keeps the trace in which a runner broke the protocol, and says where.
func (s *store) putViolation(err error, t *trace.Trace) error {
	path := filepath.Join(s.dir, "violation.trace")
	if failed := writeSynced(path, t.AppendText(nil)); failed != nil {
		return errors.Join(err, failed)
	}
	return fmt.Errorf("%w; the trace is kept in %s", err, path)
}

func (s *store) write(name string, v any) error {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	path := filepath.Join(s.dir, name)
	fresh := fmt.Sprintf("%s.new-%d", path, os.Getpid())
	err = writeSynced(fresh, append(text, '\n'))
	if err == nil {
		err = os.Rename(fresh, path)
	}
	if err != nil {
		os.Remove(fresh)
	}
	return err
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
	Key       string        `json:"key"`
	Class     string        `json:"class"`
	Name      string        `json:"class_name"`
	Check     string        `json:"check"`
	Detail    string        `json:"detail"`
	Weights   string        `json:"weight_class"`
	Call      int           `json:"call"` // of the minimal trace, counted from 1; one more than there are: the final release
	CallText  string        `json:"call_text,omitempty"`
	Solve     int           `json:"solve,omitempty"` // the call of the minimal trace whose answer is wrong, counted from 1; 0: it is not one of solve
	Instance  uint16        `json:"instance"`
	Without   []string      `json:"without,omitempty"` // features that the trace was made without, since known faults need them
	Observed  string        `json:"observed"`
	Expected  string        `json:"expected"`
	Known     string        `json:"known_by"`
	Certified bool          `json:"certified"`
	Voted     bool          `json:"voted,omitempty"` // a majority says so, and nothing proves it
	Also      []otherRecord `json:"also,omitempty"`
	Target    targetRecord  `json:"target"`
	Model     string        `json:"model"`
	Seed      string        `json:"seed"`
	Run       string        `json:"run"`
	Cell      int           `json:"cell"` // of the run, counted from 0
	Shard     uint64        `json:"shard"`
	Number    uint64        `json:"number"`
	MetIn     string        `json:"met_while_reducing,omitempty"`
	History   int           `json:"history,omitempty"` // earlier traces of the process that are part of the minimal trace
	Original  int           `json:"original_calls"`
	Minimal   int           `json:"minimal_calls"`
	Least     bool          `json:"is_minimal"`            // nothing can be left out of it
	NotLeast  string        `json:"not_minimal,omitempty"` // why
	Tests     int           `json:"reduction_tests"`
	Reducing  float64       `json:"reduction_seconds"`
	Rate      Rate          `json:"confirmed"` // runs of the minimal trace, each in a fresh process
	After     uint64        `json:"after_traces"`
	Elapsed   float64       `json:"after_seconds"`
	Death     *deathRecord  `json:"death,omitempty"`
	Replay    string        `json:"replay"`
	Program   string        `json:"program,omitempty"` // in C, that shows the fault
	Build     string        `json:"build,omitempty"`   // what builds it
	Generate  string        `json:"generate"`          // the original trace, as the generator made it
	Found     time.Time     `json:"found"`
}

// An otherRecord is another fault of the same run.
type otherRecord struct {
	Key      string `json:"key"`
	Check    string `json:"check"`
	Call     int    `json:"call"`
	Observed string `json:"observed"`
	Expected string `json:"expected"`
	Known    string `json:"known_by"`
}

type deathRecord struct {
	How     string        `json:"how"`
	Signal  int           `json:"signal,omitempty"`
	Address string        `json:"fault_address,omitempty"`
	Thread  string        `json:"thread,omitempty"` // "other": one that the library had started
	Exit    *int          `json:"exit_code,omitempty"`
	Frames  []trace.Frame `json:"frames,omitempty"`
}

func (s *store) recordOf(f *Found) findingRecord {
	r := findingRecord{
		Key: f.Key, Class: string(f.Class), Name: f.Class.Info().Name, Check: f.Check, Detail: f.Detail,
		Weights: f.Weight.String(), Call: f.Call + 1, Solve: f.Solve + 1, Instance: f.Instance, Observed: f.Observed,
		Expected: f.Expected, Known: f.Known, Certified: f.Certified, Voted: f.Voted, Target: s.targetOf(f), Model: s.c.target(f.target).Model.Name,
		Seed: fmt.Sprintf("%#016x", f.Seed), Run: s.record.Run, Cell: f.Cell, Shard: s.record.Shard, Number: f.Number, Without: f.Without, History: f.History, MetIn: f.MetIn,
		Original: len(f.Original.Calls), Minimal: len(f.Minimal.Calls), Least: f.IsMinimal, NotLeast: f.NotMinimal, Tests: f.Tests, Reducing: f.Reducing.Seconds(), Rate: f.Rate, After: f.After,
		Elapsed: f.Elapsed.Seconds(), Replay: s.replayCommand(f), Generate: s.c.config.GenCommand(s.c.config.Program, f.Cell, f.Number, f.Without), Found: time.Now().UTC(),
	}
	for i := range f.Others {
		o := &f.Others[i]
		r.Also = append(r.Also, otherRecord{Key: o.Key(f.Target), Check: o.Check, Call: o.Call + 1,
			Observed: o.Observed, Expected: o.Expected, Known: o.Known})
	}
	if f.Program != nil {
		r.Program, r.Build = "repro.c", f.Program.Build
	}
	if f.Call < len(f.Minimal.Calls) {
		r.CallText = string(f.Minimal.AppendCall(nil, f.Call))
	}
	if f.Run.End != trace.Finished {
		d := &deathRecord{How: f.Run.End.String(), Signal: f.Run.Death.Signal, Frames: f.Run.Death.Frames}
		if f.Run.Death.Address != 0 {
			d.Address = fmt.Sprintf("%#x", f.Run.Death.Address)
		}
		if f.Run.Death.OtherThread {
			d.Thread = "other"
		}
		if f.Run.End == trace.Exited {
			d.Exit = &f.Run.Death.ExitCode
		}
		r.Death = d
	}
	return r
}

func (s *store) replayCommand(f *Found) string {
	return ReplayCommand(s.c.config.Program, s.c.config.TargetsFile, s.c.config.Limits, filepath.Join(f.Dir, "minimal.trace"), f.ReplayTargets(s.c.config.Compared(f.Cell))...)
}
