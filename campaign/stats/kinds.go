package stats

import (
	"fmt"
	"slices"
	"time"

	"github.com/ipafuzz/ipafuzz/internal/printable"
)

// A KindUse says what traces of one kind cost a target, and what they found. A trace is of several kinds at once: it
// has a profile, a family, features and a size.
type KindUse struct {
	Target    string        `json:"target"`
	By        string        `json:"by"`   // what kinds of this sort differ in, such as "profile"
	Kind      string        `json:"kind"` // "" for all traces
	Traces    uint64        `json:"traces"`
	SetAside  uint64        `json:"set_aside,omitempty"`
	Library   time.Duration `json:"library_ns"`
	FollowUps time.Duration `json:"follow_ups_ns,omitempty"`
	TimeShare float64       `json:"time_share"`         // of the time of all traces
	News      uint64        `json:"new_failures"`       // failures with a key that was new
	Findings  uint64        `json:"findings,omitempty"` // that such a trace showed first
	PutOff    uint64        `json:"put_off,omitempty"`  // traces that did not run
	Why       string        `json:"why_put_off,omitempty"`
}

// JoinKinds adds up kinds, in the order of their first occurrence, and computes the shares of the time.
func JoinKinds(all ...[]KindUse) []KindUse {
	type identity struct{ target, by, kind string }
	at := make(map[identity]int)
	var sum []KindUse
	for _, k := range slices.Concat(all...) {
		id := identity{k.Target, k.By, k.Kind}
		i, known := at[id]
		if !known {
			at[id], sum = len(sum), append(sum, k)
			continue
		}
		s := &sum[i]
		s.Traces, s.SetAside, s.PutOff = s.Traces+k.Traces, s.SetAside+k.SetAside, s.PutOff+k.PutOff
		s.Library, s.FollowUps = s.Library+k.Library, s.FollowUps+k.FollowUps
		s.News, s.Findings = s.News+k.News, s.Findings+k.Findings
		if k.Why != "" {
			s.Why = k.Why
		}
	}
	for i := range sum {
		s := &sum[i]
		s.TimeShare = 0
		if whole, known := at[identity{s.Target, "", ""}]; known && sum[whole].took() > 0 {
			s.TimeShare = s.took().Seconds() / sum[whole].took().Seconds()
		}
	}
	return sum
}

func (k *KindUse) took() time.Duration { return k.Library + k.FollowUps }

// leastShare is the share of the time from which on a kind that was put off is worth a line.
const leastShare = 0.02

// PutOff returns a line about the kind that took the largest share of the time of all that were put off, and how many
// others took much; "" if none did. The time is that of the traces that ran nevertheless.
func PutOff(all []KindUse) string {
	var most *KindUse
	others, traces := 0, make(map[string]uint64)
	for i := range all {
		k := &all[i]
		switch {
		case k.By == "":
			traces[k.Target] = k.Traces
		case k.PutOff == 0 || k.TimeShare < leastShare:
		case most == nil:
			most = k
		default:
			others++
			if k.TimeShare > most.TimeShare {
				most = k
			}
		}
	}
	if most == nil {
		return ""
	}
	text := fmt.Sprintf("Put off %s with %s %s: %s. Those that ran were %.2g %% of all and took %.2g %% of the time, "+
		"for %s", printable.Things(most.PutOff, "trace"), most.By, most.Kind, most.Why,
		100*float64(most.Traces)/float64(max(traces[most.Target], 1)), 100*most.TimeShare,
		printable.Things(most.Findings, "finding"))
	switch {
	case others == 1:
		text += "; 1 other kind was put off, too"
	case others > 1:
		text += fmt.Sprintf("; %d other kinds were put off, too", others)
	}
	return text + "."
}
