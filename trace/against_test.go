package trace

import (
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
)

func TestCheckAgainst(t *testing.T) {
	d, err := apimodel.ParseDescription("option engine choice core|linear core\noption depth int 0 9 1\n" +
		"option on bool true\noption decay real 0 1 0.5\nfixed proof choice none|drat none\n")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ option, wrong string }{
		{"engine linear", ""}, {"engine Linear", `option engine does not take "Linear": it takes one of core, linear`},
		{"depth 9", ""}, {"depth 10", `option depth does not take "10": it takes an integer from 0 to 9`},
		{"depth abc", `option depth does not take "abc"`}, {"on false", ""}, {"on 1", `option on does not take "1"`},
		{"decay 0.25", ""}, {"decay nan", `option decay does not take "nan"`},
		{"proof drat", ""}, {"proof lrat", `option proof does not take "lrat"`},
		{"of-another-target 7", ""}, {"ipafuzz.threads 1", ""},
	} {
		text := "ipafuzz 1 ipasir\ninit\noption " + test.option + "\nsolve\nrelease\n"
		read, err := Read(strings.NewReader(text), "")
		if err != nil {
			t.Fatal(err)
		}
		if err = CheckAgainst(read, d); err == nil != (test.wrong == "") {
			t.Errorf("option %s: %v", test.option, err)
		}
		if err == nil {
			continue
		}
		if !strings.Contains(err.Error(), "call 2 (option "+test.option+"): "+test.wrong) {
			t.Errorf("option %s: %v, want %s", test.option, err, test.wrong)
		}
		located := Locate(strings.NewReader(text), "file", err.(*CheckError))
		if located == nil || !strings.HasPrefix(located.Error(), "file:3:") ||
			!strings.Contains(located.Error(), test.wrong) {
			t.Errorf("option %s is wrong at %v", test.option, located)
		}
	}
	if err := CheckAgainst(&Trace{Model: apimodel.IPASIR}, nil); err != nil {
		t.Errorf("without a description: %v", err)
	}
}
