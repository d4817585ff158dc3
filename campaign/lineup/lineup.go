// Package lineup has the targets of a campaign: those that it fuzzes, then their rivals, which run the same traces.
package lineup

import (
	"slices"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/campaign/cost"
	"github.com/ipafuzz/ipafuzz/campaign/limit"
	"github.com/ipafuzz/ipafuzz/campaign/stats"
	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/replay"
)

// A Target is a target, what its library reported when it was loaded, and what its traces cost.
type Target struct {
	*replay.Target
	Description *apimodel.Description
	Signature   string
	Costs       *cost.Costs
}

// A Lineup has the targets of a campaign by number.
type Lineup struct {
	All    []*Target
	Fuzzed int // targets before this number are fuzzed; the others are rivals
	Way    replay.Way
	Limits replay.Limits
	// Judging configures the judges of all targets.
	Judging oracle.Config
	Factor  float64 // a target that exceeds this multiple of its rivals' median is too slow or large; 0: 100
}

// heapStride is the stride of the traces whose effect on the heap is measured. Measuring all of them costs
// a sixth of the speed, and few leaks show in only one trace of a thousand.
const heapStride = 16

// QueueOptions returns the options of the processes that run the traces of the search.
func (l *Lineup) QueueOptions() replay.QueueOptions {
	options := replay.DefaultQueue
	if l.Way == replay.Persistent {
		options.HeapStride = heapStride
	}
	return options
}

// Load loads a target and adds it.
func (l *Lineup) Load(t *replay.Target) error {
	probe, err := replay.OpenFirst(t, l.Way, l.Limits, l.QueueOptions())
	if err != nil {
		return err
	}
	defer probe.Close()
	description, err := probe.Description()
	if err != nil {
		return err
	}
	l.All = append(l.All, &Target{Target: t, Description: description, Signature: probe.Signature(), Costs: cost.New()})
	return nil
}

// Number returns the number of the target with that name, or -1.
func (l *Lineup) Number(name string) int {
	return slices.IndexFunc(l.All, func(t *Target) bool { return t.Name == name })
}

// Group returns the numbers of the members of a fuzzed target's group: the target, then its rivals.
func (l *Lineup) Group(target int) []int {
	group := []int{target}
	for other := l.Fuzzed; other < len(l.All); other++ {
		group = append(group, other)
	}
	return group
}

// compares reports whether there are rivals.
func (l *Lineup) compares() bool { return l.Fuzzed < len(l.All) }

// Judge returns a judge for runs of a target.
func (l *Lineup) Judge(target int, crossCheck bool, conflicts uint64) *trial.Judge {
	config := l.Judging
	config.Compared, config.CrossCheck, config.Policies = l.compares(), crossCheck, l.All[target].Description.Policies
	return trial.NewJudge(config, conflicts)
}

// OpenGroup returns a group that confirms findings of a target and its rivals. Its runs have more time than
// those of lanes, and its judges ask the reference solver about every answer.
func (l *Lineup) OpenGroup(numbers []int) *trial.Group {
	g := &trial.Group{Rules: trial.LenientRules(l.Factor, limit.Least(l.Limits))}
	for _, target := range numbers {
		g.Sessions = append(g.Sessions, trial.NewSession(l.All[target].Target, l.Limits.Longer(trial.Patience),
			l.Judge(target, true, trial.Thorough)))
	}
	return g
}

// NewMeasures returns empty measures of the targets.
func (l *Lineup) NewMeasures() *stats.Measures {
	m := &stats.Measures{Firsts: make(map[oracle.Key]map[string]stats.First)}
	for _, t := range l.All {
		m.Targets = append(m.Targets, stats.TargetUse{Target: t.Name})
	}
	return m
}
