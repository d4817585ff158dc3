package main

import (
	"context"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/diagnose"
	"github.com/ipafuzz/ipafuzz/campaign/shrink"
	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/dd"
)

// mostForCause bounds the search for a cause; that of a long reduction may take a quarter
// as long.
const mostForCause = 10 * time.Second

// findCause determines what the failure of a reduced trace needs. It stays unknown if that
// takes too long or the user ends it.
func findCause(ctx context.Context, reducer *shrink.Reducer, result *shrink.Reduction, say func(string)) error {
	failure := diagnose.Failure{Key: result.Key, Minimal: result.Trace, Rate: result.After,
		Config: dd.Config{Description: reducer.Description, Allowed: reducer.Allowed}}
	if ctx.Err() != nil || !failure.HasCause() {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, max(mostForCause, result.Time/4))
	defer cancel()
	limits := reducer.Limits
	limits.Fixed |= result.Fixed
	session := trial.NewExamination(reducer.Target, reducer.Description, limits, false)
	defer session.Close()
	say("Looking for what the failure needs.")
	found, err := failure.Run(ctx, session)
	if err != nil && ctx.Err() == nil {
		return err
	}
	if err == nil && found != nil {
		result.Cause, result.Sentence = string(found.Diagnosis.Cause), found.Diagnosis.Sentence
	}
	return nil
}
