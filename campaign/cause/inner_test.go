package cause

import (
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/testtrace"
)

// TestControlledVersions checks versions that add something, and those that take out groups. A control follows its
// version after a slash.
func TestControlledVersions(t *testing.T) {
	for _, test := range []struct {
		variant, given string
		want           []string
	}{
		// A second universal variable goes before or behind the first one. A longer block has no version.
		{"lone-universal", "forall 1 0; exists 2 0; forall 3 4 0; clause 1 2 0; solve", []string{
			"forall 1 5 0; exists 2 0; forall 3 4 0; clause 1 2 0; solve / " +
				"forall 1 0; exists 2 5 0; forall 3 4 0; clause 1 2 0; solve",
			"forall 5 1 0; exists 2 0; forall 3 4 0; clause 1 2 0; solve / " +
				"forall 1 0; exists 2 5 0; forall 3 4 0; clause 1 2 0; solve"}},
		{"lone-universal", "forall 1 0; extend 1 2 0; solve", nil},
		// An empty block stays empty, and universal variables stay outermost.
		{"lone-universal", "exists 0; forall 1 0; assume 1; solve", []string{
			"exists 0; forall 1 2 0; assume 1; solve / exists 0; forall 1 0; exists 2 0; assume 1; solve",
			"exists 0; forall 2 1 0; assume 1; solve / exists 0; forall 1 0; exists 2 0; assume 1; solve"}},
		{"lone-universal", "solve; forall 1 0; solve", nil},
		// The new variables are as far inside as possible, or free beside other free variables.
		{"nothing-added", "exists 1 0; forall 2 0; clause 1 2 0; solve; assume 1; solve", []string{
			"exists 1 3 4 0; forall 2 0; clause 1 2 0; solve; clause 3 4 0; assume 1; solve / " +
				"exists 1 3 4 0; forall 2 0; clause 3 4 0; clause 1 2 0; solve; assume 1; solve"}},
		{"nothing-added", "forall 1 0; clause 1 0; solve; terminate 1; solve", []string{
			"forall 1 0; exists 2 3 0; clause 1 0; solve; terminate 1; clause 2 3 0; solve / " +
				"forall 1 0; exists 2 3 0; clause 2 3 0; clause 1 0; solve; terminate 1; solve"}},
		{"nothing-added", "solve; solve", []string{
			"exists 1 2 0; solve; clause 1 2 0; solve / exists 1 2 0; clause 1 2 0; solve; solve"}},
		{"nothing-added", "clause 1 0; solve; solve", []string{
			"clause 1 0; solve; clause 2 3 0; solve / clause 2 3 0; clause 1 0; solve; solve"}},
		{"nothing-added", "exists 1 0; clause 1; clause -1 0; solve; solve", []string{
			"exists 1 2 3 0; clause 1; clause -1 0; solve; clause 2 3 0; solve / " +
				"exists 1 2 3 0; clause 2 3 0; clause 1; clause -1 0; solve; solve"}},
		{"nothing-added", "exists 1 0; push; clause 1 0; solve; pop; solve", []string{
			"exists 1 2 3 0; push; clause 1 0; solve; pop; clause 2 3 0; solve / " +
				"exists 1 2 3 0; clause 2 3 0; push; clause 1 0; solve; pop; solve"}},
		{"nothing-added", "exists 1 0; clause 1 0; solve; clause -1 0; solve", nil},
		{"nothing-added", "forall 1 0; solve; exists 2 0; extend 2 3 0; solve", nil},
		{"nothing-added", "solve; release; init; solve", nil},
		// Each way to take clauses out stands for the other. A new group may have the number of a deleted one.
		{"deleted-group", "open 1; clause 1 0; close 1; delete 1; open 1; clause -1 0; close 1; solve; delete 1; solve",
			[]string{"open 1; clause 1 0; close 1; deactivate 1; open 0; clause -1 0; close 0; solve; deactivate 0; solve"}},
		{"deleted-group", "open 0; clause 1 0; close 0; delete 0; open 0; close 0; open 1; close 1; solve",
			[]string{"open 0; clause 1 0; close 0; deactivate 0; open 2; close 2; open 1; close 1; solve"}},
		{"deleted-group", "open 1; close 1; delete 1; solve; release; init; open 1; clause 1 0; close 1; solve",
			[]string{"open 1; close 1; deactivate 1; solve; release; init; open 1; clause 1 0; close 1; solve"}},
		{"deactivated-group", "open 1; clause 1 0; close 1; deactivate 1; activate 1; deactivate 1; solve",
			[]string{"open 1; clause 1 0; close 1; deactivate 1; activate 1; delete 1; solve"}},
		{"activated-group", "open 2; clause 1 0; close 2; deactivate 2; solve; activate 2; solve; deactivate 2; solve",
			[]string{"open 2; clause 1 0; close 2; delete 2; solve; open 0; clause 1 0; close 0; solve; delete 0; solve / " +
				"open 2; clause 1 0; close 2; deactivate 2; solve; activate 2; clause 2 3 0; solve; deactivate 2; solve"}},
		{"activated-group", "open 1; clause 1 0; close 1; delete 1; open 1; clause 2 0; close 1; deactivate 1; activate 1; " +
			"solve", []string{"open 1; clause 1 0; close 1; delete 1; open 1; clause 2 0; close 1; delete 1; open 0; " +
			"clause 2 0; close 0; solve / open 1; clause 1 0; close 1; delete 1; open 1; clause 2 0; close 1; deactivate 1; " +
			"activate 1; clause 3 4 0; solve"}},
		{"activated-group", "open 2; clause 1 0; close 2; deactivate 2; solve", nil},
		{"activated-group", "open 2; clause 1; clause 2 0; close 2; deactivate 2; activate 2; solve", nil},
		{"activated-group", "open 2; close 2; deactivate 2; open 3; activate 2; close 3; solve", nil},
	} {
		text := func(t *trace.Trace) string {
			return strings.ReplaceAll(strings.TrimSpace(testtrace.Calls(t)), "\n", "; ")
		}
		given := testtrace.Parse(t, "ipafuzz 2 qbf\n"+strings.ReplaceAll(test.given, "; ", "\n")+"\n")
		var versions []string
		for _, n := range Named(test.variant).Versions(given) {
			version := text(n.Trace)
			if n.Control != nil {
				version += " / " + text(n.Control)
			}
			versions = append(versions, version)
		}
		if got, want := strings.Join(versions, "\n"), strings.Join(test.want, "\n"); got != want {
			t.Errorf("%s of %q is\n%s\nwant\n%s", test.variant, test.given, got, want)
		}
	}
}
