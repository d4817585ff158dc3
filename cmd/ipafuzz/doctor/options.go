package doctor

import (
	"context"
	"fmt"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/internal/printable"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
)

// options sets every option that a generator may choose to the ends of its range.
func (c *Checkup) options(ctx context.Context, target *replay.Target, described *apimodel.Description) error {
	if len(described.Options) == 0 {
		return nil
	}
	runner, err := replay.Open(target, replay.Persistent, c.Limits)
	if err != nil {
		return err
	}
	defer runner.Close()
	options, values, refused := 0, 0, 0
	for i := range described.Options {
		o := &described.Options[i]
		if o.Fixed {
			continue
		}
		t := &trace.Trace{Model: target.Model}
		for _, value := range trialValues(o, described) {
			t.Plain(0, apimodel.OpInit)
			t.SetOption(0, o.Name, value)
			t.Clause(0, true, 1, 2)
			t.Plain(0, apimodel.OpSolve)
			t.Plain(0, apimodel.OpRelease)
			values++
		}
		options++
		var run trace.Run
		if err := runner.Run(ctx, t, &run); err != nil {
			return err
		}
		if reason := optionFault(t, &run); reason != "" {
			refused++
			c.wrong("it takes option "+o.Name, reason, "A target must accept what ipafuzz_describe (or the runner's "+
				"description) offers: correct its kind, its range, when it may be set, or add an exclude line.")
		}
	}
	if refused == 0 {
		c.add(Fine, "it takes the options that it describes",
			printable.Things(options, "option")+", "+printable.Things(values, "value"))
	}
	return nil
}

func trialValues(o *apimodel.Option, d *apimodel.Description) []string {
	candidates := []string{o.Default}
	if o.Kind == apimodel.Int || o.Kind == apimodel.Real {
		low, high := o.Ends()
		candidates = append(candidates, low, high)
	} else {
		candidates = o.Samples()
	}
	var values []string
	for _, value := range candidates {
		if _, excluded := d.Excluded(map[string]string{o.Name: value}); !excluded {
			values = append(values, value)
		}
	}
	return values
}

// optionFault says how the first option failed; "" if all were accepted.
func optionFault(t *trace.Trace, run *trace.Run) string {
	value := ""
	for i := range t.Calls {
		if t.Calls[i].Op == apimodel.OpOption {
			_, value = t.Option(&t.Calls[i])
			if a := run.Answers.At(i); a.Kind == trace.Answered && a.Int() != 0 {
				return fmt.Sprintf("value %s: it answered %d instead of 0, which means accepted", value, a.Int())
			}
		}
		if run.End != trace.Finished && run.Call == i {
			return fmt.Sprintf("value %s: %s in a small problem%s", value, run.End, wrote(run.Death.Stderr))
		}
	}
	return ""
}
