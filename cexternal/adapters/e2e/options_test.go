package e2e

import (
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
)

// TestOptionsOfOthers: with --against, a target also gets the options of its rivals. It refuses unknown
// options and values without a crash.
func TestOptionsOfOthers(t *testing.T) {
	foreign := []string{"flush 1", "no-such-option 1", "verbosity 5",
		"restart-int-base -7", "random-freq nonsense", "decision nonsense"}
	for _, k := range solvers {
		t.Run(k.target, func(t *testing.T) {
			target := suite.Open(t, k.target, k.pkg)
			for _, option := range foreign {
				if option == "flush 1" && strings.Contains(k.target, "cadical") {
					continue // the target has this option
				}
				tr, err := trace.ParseString("ipafuzz 1 " + target.Model.Name + "\noption " + option + "\nsolve\n")
				if err != nil {
					t.Fatal(err)
				}
				run, _ := suite.Run(t, target, tr)
				if log := string(tr.AppendLog(nil, run)); !strings.Contains(log, option+" = 1\n") {
					t.Errorf("not refused:\n%s", log)
				}
			}
		})
	}
}

// TestValuesThatDoNotExist: an adapter refuses all values that it does not describe. A trace that was made for another
// solver may have an option of the same name.
func TestValuesThatDoNotExist(t *testing.T) {
	adapters := []string{"z3", "z3-qbf", "cvc5-qbf", "depqbf"}
	for _, k := range solvers {
		adapters = append(adapters, k.target)
	}
	for _, name := range adapters {
		t.Run(name, func(t *testing.T) {
			target := suite.Open(t, name, "its package")
			hello, err := replay.Greet(target, suite.Limits)
			if err != nil {
				t.Fatal(err)
			}
			text, options := "ipafuzz 1 "+target.Model.Name+"\n", 0
			for i := range hello.Description.Options {
				o := &hello.Description.Options[i]
				for _, value := range []string{"nonsense", "-9223372036854775808", "9223372036854775807", "nan", "1|0"} {
					if o.Accepts(value) != nil {
						text += "option " + o.Name + " " + value + "\n"
						options++
					}
				}
			}
			tr, err := trace.ParseString(text + "solve\n")
			if err != nil {
				t.Fatal(err)
			}
			run, _ := suite.Run(t, target, tr)
			log := string(tr.AppendLog(nil, run))
			if refused := strings.Count(log, " = 1\n"); refused != options {
				t.Errorf("%d of %d refused:\n%s", refused, options, log)
			}
		})
	}
}
