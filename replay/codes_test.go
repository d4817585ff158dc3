package replay_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
)

const (
	another     = 3 << 62 // the havoc that uses another solver
	inCallbacks = "learn 3; terminate 0; import 1 2 0; solve"
)

// codes are faults of the library testdata/codes.c, calls, and what ipafuzz then tells. An empty text means that the
// library may do so.
var codes = []struct {
	fault, calls, want string
}{
	{"set_option", "option effort 9", "set_option returned INVALID_OPTION_VALUE"},
	{"set_option", fmt.Sprintf("havoc %d", uint64(another|8)), "set_option returned INVALID_OPTION_VALUE"},
	{"index", "option effort 9", "set_option with an index returned INVALID_ARGUMENT"},
	{"add", "add 1 0", "add returned UNKNOWN"},
	{"add", "import 1 0; solve", "add returned UNKNOWN"},
	{"add", fmt.Sprintf("havoc %d", uint64(another|2)), "add returned UNKNOWN"},
	{"solve", "solve", "solve returned UNKNOWN"},
	{"solve", fmt.Sprintf("havoc %d", uint64(another|4)), "solve returned UNKNOWN"},
	{"value", "add 1 0; solve; val 1", "value returned UNKNOWN"},
	{"failed", "assume -1; solve; failed -1", "failed returned UNKNOWN"},
	{"init", fmt.Sprintf("havoc %d", uint64(another)), "init returned UNKNOWN"},
	{"release", fmt.Sprintf("havoc %d", uint64(another)), "release returned UNKNOWN"},
	{"options", "", "options returned UNKNOWN"},
	{"set_terminate", "terminate 0", "set_terminate returned UNKNOWN"},
	{"set_export", "learn 3", "set_export returned UNKNOWN"},
	{"set_delete", "learn 3", "set_delete returned UNKNOWN"},
	{"set_fixed", "learn 3", "set_fixed returned UNKNOWN"},
	{"set_import", "import 1 0", "set_import returned UNKNOWN"},
	{"indexed", "add 1 0; havoc 2", "set_option returned INVALID_STATE"},
	{"removal", inCallbacks, "set_import returned UNKNOWN"},
	{"forgettable", "add 1 0; havoc 1", "add returned UNKNOWN"},
	{"value_refused", "add 1 0; solve; val 1", "value returned INVALID_ARGUMENT"},
	{"failed_refused", "assume -1; solve; failed -1", "failed returned INVALID_ARGUMENT"},
	{"exports_0", inCallbacks, "a callback's clause returned INVALID_ARGUMENT"},
	{"deletes_0", inCallbacks, "a callback's clause returned INVALID_ARGUMENT"},
	{"stop_replaced", inCallbacks, "calls a removed callback"},
	{"export_replaced", inCallbacks, "calls a removed callback"},
	{"import_replaced", inCallbacks, "calls a removed callback"},
	{"import_removed", inCallbacks + "; solve", "calls a removed callback"},
	{"outside", "learn 3; add 1 0", "calls a callback outside of a solve"},
	{"in_thread", inCallbacks, "calls a callback in another thread"},
	{"stop_data", inCallbacks, "calls a callback with other data"},
	{"export_data", inCallbacks, "calls a callback with other data"},
	{"delete_data", inCallbacks, "calls a callback with other data"},
	{"import_data", inCallbacks, "calls a callback with other data"},
	{"fixed_data", inCallbacks, "calls a callback with other data"},
	{"nowhere", "", "options returned no array or no number of options"},
	{"uncounted", "", "options returned no array or no number of options"},
	{"nameless", "", "options returned an option without a name"},
	{"twice", "", "options returned two options of one name"},
	{"inverted", "", "options returned an option whose least value is above its greatest"},
	{"stateless", "", "options returned an option whose max_state is no state"},

	{"value_inside", "misuse 7; add 1 0; solve", "value during a solve returned OK"},
	{"value_refused", "solve; misuse 7; add 1 0; solve", "value during a solve returned INVALID_ARGUMENT"},
	{"failed_inside", "misuse 14; solve", "failed during a solve returned OK"},
	{"solve_inside", "misuse 21; solve", "solve during a solve returned OK"},
	{"release_inside", "misuse 28; solve", "release during a solve returned OK"},
	{"late_inside", "misuse 35; solve", "an option later than its max_state during a solve returned OK"},
	{"options_inside", "misuse 42; solve", "options returned UNKNOWN"},
	{"stop_inside", "misuse 49; solve", "setting the callbacks again during a solve returned UNKNOWN"},
	{"hear_inside", "learn 3; misuse 49; solve", "setting the callbacks again during a solve returned UNKNOWN"},
	{"bring_inside", "import 1 0; misuse 49; solve", "setting the callbacks again during a solve returned UNKNOWN"},
	{"option_inside", "misuse 56; solve", "an option up to SOLVING during a solve returned INVALID_STATE"},
	{"init_inside", "misuse 63; solve", "init returned UNKNOWN"},

	{"value_early", "misuse 0", "value in CONFIG returned OK"},
	{"value_early", "add 1 0; misuse 0", "value in INPUT returned OK"},
	{"value_early", "assume -1; solve; misuse 0", "value in UNSAT returned OK"},
	{"value_of_0", "misuse 1", "value of 0 in CONFIG returned OK"},
	{"value_of_0", "solve; misuse 1", "value of 0 in SAT returned OK"},
	{"failed_early", "misuse 2", "failed in CONFIG returned OK"},
	{"failed_early", "solve; misuse 2", "failed in SAT returned OK"},
	{"failed_of_0", "assume -1; solve; misuse 3", "failed of 0 in UNSAT returned OK"},
	{"failed_of_others", "assume -1; solve; misuse 2", "failed in UNSAT returned OK"},
	{"below", "misuse 4", "an option below its least value in CONFIG returned OK"},
	{"below", "misuse 179", "an option below its least value in CONFIG returned OK"},
	{"above", "misuse 5", "an option above its greatest value in CONFIG returned OK"},
	{"above", "misuse 180", "an option above its greatest value in CONFIG returned OK"},
	{"late", "add 1 0; misuse 6", "an option later than its max_state in INPUT returned OK"},

	{"only_named", "misuse 0; misuse 7; solve; val 9; add 1 0; solve; val 1; val 2", ""},
	{"failed_of_others", "assume -1; solve; failed 2", ""},
	{"no_forgettable", "add 1 0; havoc 1; errors", ""},
	{"no_length", inCallbacks, ""},
	{"no_fixed", inCallbacks, ""},
	{"no_delete", inCallbacks, ""},
}

// TestCodes: a library of IPASIR-2 is told what is wrong with it, and nothing where it is right.
func TestCodes(t *testing.T) {
	t.Parallel()
	runner := openRunner(t, resolve(t, library(t, "codes"), ""), replay.Fork, tight)
	for _, c := range codes {
		for _, faulty := range []bool{true, false} {
			value, want := 0, ""
			if faulty {
				value, want = 1, c.want
			}
			text := fmt.Sprintf("ipafuzz 2 ipasir2\noption %s %d\n%s\nerrors\n", c.fault, value,
				strings.ReplaceAll(c.calls, "; ", "\n"))
			tr := parse(t, text)
			got := run(t, runner, tr)
			if told := strings.Join(complaints(tr, got), "; "); told != want || got.End != trace.Finished {
				t.Errorf("%s = %d, %s: told %q, want %q, and the end is %v", c.fault, value, c.calls, told, want, got.End)
			}
		}
	}
}

// complaints returns what the answers of errors and misuse say is wrong.
func complaints(tr *trace.Trace, run *trace.Run) (all []string) {
	for i, call := range tr.Calls {
		answer := run.Answers.At(i).Num
		switch call.Op {
		case apimodel.OpErrors:
			if answer != 0 {
				all = append(all, apimodel.ReadError(answer).Observed)
			}
		case apimodel.OpMisuse:
			if m, made := apimodel.ReadMisuse(answer); made && !slices.Contains(m.Right, m.Code) {
				all = append(all, fmt.Sprintf("%s in %s returned %s", m.Call, m.State, m.Code))
			}
		}
	}
	return all
}
