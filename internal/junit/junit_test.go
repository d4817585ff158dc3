package junit

import (
	"strings"
	"testing"
	"time"
)

func TestReport(t *testing.T) {
	t.Parallel()
	r := New("all")
	r.Add(Case{Class: "a", Name: "passes"}, time.Second)
	r.Add(Case{Class: "a", Name: "fails", Failure: &Reason{Message: "<no>", Type: "2.1", Text: "why"}}, time.Millisecond)
	r.Add(Case{Class: "b", Name: "skipped", Skipped: &Reason{Message: "not here"}}, 0)
	var b strings.Builder
	if err := r.Write(&b); err != nil {
		t.Fatal(err)
	}
	want := `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="all" tests="3" failures="1" errors="0" skipped="1" time="1.001000">
  <testsuite name="a" tests="2" failures="1" errors="0" skipped="0" time="1.001000">
    <testcase classname="a" name="passes" time="1.000000"></testcase>
    <testcase classname="a" name="fails" time="0.001000">
      <failure message="&lt;no&gt;" type="2.1">why</failure>
    </testcase>
  </testsuite>
  <testsuite name="b" tests="1" failures="0" errors="0" skipped="1" time="0.000000">
    <testcase classname="b" name="skipped" time="0.000000">
      <skipped message="not here"></skipped>
    </testcase>
  </testsuite>
</testsuites>
`
	if b.String() != want {
		t.Errorf("got\n%s", &b)
	}
}
