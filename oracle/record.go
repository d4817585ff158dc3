package oracle

// A Record is a finding as JSON has it, wherever one is written: by 'replay
// --json', in a campaign's summary and in finding.json.
type Record struct {
	Key       Key    `json:"key"`
	Class     string `json:"class"`
	Name      string `json:"class_name"`
	Check     string `json:"check"`
	Detail    string `json:"detail"`
	Call      int    `json:"call"` // counted from 1; one more than there are means the final release
	Observed  string `json:"observed"`
	Expected  string `json:"expected"`
	Known     string `json:"known_by"`
	Certified bool   `json:"certified"`
	Voted     bool   `json:"voted,omitempty"` // a majority says so, and nothing proves it
}

// Record returns the finding about a target as JSON has it.
func (f *Finding) Record(target string) Record {
	return Record{Key: f.Key(target), Class: string(f.Class), Name: f.Class.Info().Name, Check: f.Check,
		Detail: f.Detail, Call: f.Call + 1, Observed: f.Observed, Expected: f.Expected, Known: f.Known,
		Certified: f.Certified, Voted: f.Voted}
}

// Finding returns the finding of the record. Its weight class is that of the key.
func (r *Record) Finding() Finding {
	return Finding{Class: Class(r.Class), Check: r.Check, Call: r.Call - 1, Weight: r.Key.Weight, Detail: r.Detail,
		Observed: r.Observed, Expected: r.Expected, Known: r.Known, Certified: r.Certified, Voted: r.Voted}
}
