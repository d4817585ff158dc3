package oracle

import (
	"github.com/ipafuzz/ipafuzz/apimodel"

	"fmt"
	"os"
	"strings"
	"testing"
)

func TestThePagesHaveTheTables(t *testing.T) {
	page, err := os.ReadFile("../docs/classes.md")
	if err != nil {
		t.Fatal(err)
	}
	var want strings.Builder
	for _, c := range Classes {
		fmt.Fprintf(&want, "| %s | %s | %s |\n", c.Class, c.Name, c.Doc)
	}
	_, after, found := strings.Cut(string(page), "| class | name | meaning |\n|---|---|---|\n")
	if !found || !strings.HasPrefix(after, want.String()+"\n") {
		t.Errorf("docs/classes.md must hold this table:\n%s", want.String())
	}
	judging, err := os.ReadFile("../docs/judging.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range judgedPolicies {
		if apimodel.PolicyNamed(name) == nil {
			t.Errorf("unknown policy %s", name)
		}
		if !strings.Contains(string(judging), "`"+name+"`") {
			t.Errorf("docs/judging.md must name policy %s", name)
		}
	}
	_, table, _ := strings.Cut(string(judging), "## Checks, in their order")
	for _, c := range checks {
		_, rest, found := strings.Cut(table, "\n| `"+c.name+"` |")
		if !found {
			t.Fatalf("docs/judging.md must explain check %s behind the ones before it", c.name)
		}
		table = "\n" + rest
	}
}

func TestClassesAreUniqueAndOrdered(t *testing.T) {
	seen := map[Class]bool{}
	families := ""
	for i, c := range Classes {
		if seen[c.Class] || c.Name == "" || c.Doc == "" {
			t.Errorf("row %d: %+v", i, c)
		}
		seen[c.Class] = true
		if i > 0 && Classes[i-1].Class.Severity() <= c.Class.Severity() {
			t.Errorf("%s is not less severe than the row before", c.Class)
		}
		if family := string(c.Class[0]); !strings.HasSuffix(families, family) {
			families += family
		}
		if c.Class.Info() != c {
			t.Errorf("%s: Info %+v", c.Class, c.Class.Info())
		}
	}
	if families != "215634" {
		t.Errorf("families in order %s", families)
	}
	if Class("9.9").Severity() != 0 || Class("9.9").Info().Class != "9.9" {
		t.Error("an unknown class")
	}
}
