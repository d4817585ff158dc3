package trace

import (
	"strings"
	"testing"
)

func logOf(t *testing.T, text string) (*Trace, *Run) {
	t.Helper()
	tr, err := ParseString(text)
	if err != nil {
		t.Fatal(err)
	}
	run := &Run{Answers: tr.Want.Clone()}
	tr.Want.Reset()
	return tr, run
}

func TestLogHoldsAnswersEffortAndEnd(t *testing.T) {
	const text = "ipafuzz 1 ipamir\n# note\nhard 1 0\nsolve = 30\nobj = 5\nmodel = 1 !\nsolve = 0\nval 1 = -\nsolve\n" +
		"val 1\n"
	for _, c := range []struct {
		name   string
		change func(run *Run)
		want   string
	}{
		{"finished", func(run *Run) {
			run.Answers.SetEffort(&run.Answers.Of[1], Effort{Nanos: 12345, Polls: 4, Learned: 2})
			run.Answers.SetEffort(&run.Answers.Of[4], Effort{Nanos: 999, Polls: 9, PollsAfter: 3, Odd: 1, OthersPolled: true,
				OthersLearned: true})
		},
			"hard 1 0\nsolve = 30 # 12.3us polls=4 learned=2\nobj = 5\nmodel = 1 !\nsolve = 0 # 999ns polls=9 " +
				"polls-after-stop=3 too-long=1 others-polls others-learned\nval 1 = -\nsolve\nval 1\n"},
		{"killed", func(run *Run) { run.End, run.Call, run.Death.Signal = Killed, 6, 11 },
			"hard 1 0\nsolve = 30 # 0ns\nobj = 5\nmodel = 1 !\nsolve = 0 # 0ns\nval 1 = -\nsolve\n# ended here: killed by " +
				"signal 11\nval 1\n"},
		{"killed in the first call", func(run *Run) {
			run.Answers.Reset()
			run.End, run.Call, run.Death.Signal = Killed, 0,
				6
		},
			"hard 1 0\n# ended here: killed by signal 6\nsolve\nobj\nmodel\nsolve\nval 1\nsolve\nval 1\n"},
		{"exited in the release", func(run *Run) {
			run.Answers.SetEffort(&run.Answers.Of[1], Effort{Nanos: 1500000})
			run.Answers.SetEffort(&run.Answers.Of[4], Effort{Nanos: 61e9})
			run.End, run.Call, run.Death.ExitCode = Exited, 8, 3
		},
			"hard 1 0\nsolve = 30 # 1.5ms\nobj = 5\nmodel = 1 !\nsolve = 0 # 61.0s\nval 1 = -\nsolve\nval 1\n# ended in the " +
				"final release: exited by itself with code 3\n"},
		{"time", func(run *Run) { run.End, run.Call = OutOfTime, 7 },
			"hard 1 0\nsolve = 30 # 0ns\nobj = 5\nmodel = 1 !\nsolve = 0 # 0ns\nval 1 = -\nsolve\nval 1\n# ended here: wall " +
				"time limit\n"},
	} {
		t.Run(strings.ReplaceAll(c.name, " ", "_"), func(t *testing.T) {
			tr, run := logOf(t, text)
			c.change(run)
			log := string(tr.AppendLog(nil, run))
			if want := "ipafuzz 2 ipamir\n# note\n" + c.want; log != want {
				t.Errorf("want\n%s\ngot\n%s", want, log)
			}
			again, err := ParseString(log)
			if err != nil {
				t.Fatal(err)
			}
			tr.Want, tr.Got = Answers{}, run.Answers
			if !Equal(tr, again) {
				t.Errorf("the log is another trace:\n%s", firstDifference(tr.String(), again.String()))
			}
		})
	}
}

// TestLogOfAGarbageStatus: Parse reads a log with an impossible recorded status, but refuses it as an expectation.
func TestLogOfAGarbageStatus(t *testing.T) {
	tr, run := logOf(t, "ipafuzz 1 ipamir\nsolve = 30\nval 1 = -\n")
	garbage := int64(-77)
	run.Answers.Of[0].Num = uint64(garbage)
	log := string(tr.AppendLog(nil, run))
	if !strings.Contains(log, "solve = -77 ") {
		t.Errorf("got\n%s", log)
	}
	if _, err := ParseSyntax(strings.NewReader(log), "log"); err != nil {
		t.Error(err)
	}
	if _, err := ParseString(log); err != nil {
		t.Errorf("a recorded answer makes the log illegal: %v", err)
	}
	if _, err := ParseString(strings.Replace(log, " = -77", " want -77", 1)); err == nil {
		t.Error("Parse accepts -77 as an expectation")
	}
}

func TestRequestHasNoAnswers(t *testing.T) {
	tr, err := ParseString("ipafuzz 2 ipamir\n@3 solve = 30\n@3 val -7 = 7, want -7\n")
	if err != nil {
		t.Fatal(err)
	}
	if got := string(tr.AppendRequest(nil, 1)); got != "@3 val -7" {
		t.Errorf("AppendRequest: %q", got)
	}
	if got := string(tr.AppendCall(nil, 1)); got != "@3 val -7 = 7, want -7" {
		t.Errorf("AppendCall: %q", got)
	}
}

func TestNotesStayComments(t *testing.T) {
	tr, _ := logOf(t, "ipafuzz 1 ipamir\nsolve\n")
	tr.Notes = []string{"two\nsolve\r\n\r", "", "x\r"}
	const want = "ipafuzz 1 ipamir\n# two\n# solve\n#\n#\n# x\nsolve\n"
	if tr.String() != want {
		t.Errorf("got\n%s", tr)
	}
	again, err := ParseString(want)
	if err != nil || again.String() != want {
		t.Errorf("%v\n%s", err, again)
	}
}

// TestWrongAnswersAreMarked: a log and a minimal trace show the right answer beside a wrong one.
func TestWrongAnswersAreMarked(t *testing.T) {
	const wrong = "ipafuzz 2 ipamir\nhard 1 0\nsolve want 30\nobj = 2, want 1\nmodel = 1\n"
	tr, err := ParseString(strings.Replace(wrong, " = 2,", "", 1))
	if err != nil {
		t.Fatal(err)
	}
	_, run := logOf(t, "ipafuzz 1 ipamir\nhard 1 0\nsolve = 30\nobj = 2\nmodel = 1\n")
	tr.Want.Of[3] = Answer{}
	const log = "ipafuzz 2 ipamir\nhard 1 0\nsolve = 30 # 0ns\nobj = 2, want 1\nmodel = 1\n"
	if got := string(tr.AppendLog(nil, run)); got != log {
		t.Errorf("the log is\n%s\nwant\n%s", got, log)
	}
	tr.Got = tr.Unmet(run)
	if want := strings.Replace(wrong, "model = 1", "model", 1); tr.String() != want {
		t.Errorf("got\n%s\nwant\n%s", tr, want)
	}
	met := &Run{Answers: tr.Want.Clone()}
	if wrong := tr.Unmet(met); len(wrong.Of) > 0 {
		t.Errorf("Unmet returns right answers: %+v", wrong)
	}
}

// TestVersionOne: in version 1, '=' marks an expectation, not a recorded answer.
func TestVersionOne(t *testing.T) {
	const old = "ipafuzz 1 ipamir\nhard 1 0\nsolve = 30\nmodel =\nobj\n"
	tr, err := ParseString(old)
	if err != nil {
		t.Fatal(err)
	}
	if len(tr.Got.Of) > 0 || tr.Want.At(1).Num != 30 {
		t.Errorf("read as %+v, recorded %+v", tr.Want, tr.Got)
	}
	if want := "ipafuzz 2 ipamir\nhard 1 0\nsolve want 30\nmodel want\nobj\n"; tr.String() != want {
		t.Errorf("printed as\n%s\nwant\n%s", tr, want)
	}
}
