package oracle

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

func TestExitPolicies(t *testing.T) {
	for _, c := range []struct {
		policy string
		status int32
		code   int
		want   Class // "" is right
	}{
		{"mse2024", 30, 30, ""}, {"mse2024", 20, 20, ""}, {"mse2024", 10, 10, ""}, {"mse2024", 0, 0, ""},
		{"mse2024", 30, 0, WrongStatus}, {"mse2024", 30, 10, WrongStatus}, {"mse2024", 0, 20, WrongStatus},
		{"mse2024", 30, 1, OtherExit}, {"mse2024", 0, 255, OtherExit}, {"mse2024", 20, 128, OtherExit},
		{"mse2024", 0, 134, Abort}, {"mse2024", 30, 135, BusError}, {"mse2024", 30, 136, ArithmeticError},
		{"mse2024", 30, 137, OtherSignal}, {"mse2024", 0, 139, Segfault}, {"mse2024", 0, -1, OtherExit},
		{"mse2023", 30, 0, ""}, {"mse2023", 30, 10, ""}, {"mse2023", 20, 30, ""}, {"mse2023", 20, 1, OtherExit}, {"mse2023", 30, 139, Segfault},
		{"zero", 30, 0, ""}, {"zero", 30, 30, OtherExit}, {"zero", 0, 134, Abort},
	} {
		fault, wrong := ExitPolicyNamed(c.policy).Judge(c.status, c.code)
		if fault != c.want || wrong != (c.want != "") {
			t.Errorf("%s, status %d, exit code %d: %q %v, want %q", c.policy, c.status, c.code, fault, wrong, c.want)
		}
	}
	if ExitPolicyNamed("mse1999") != nil {
		t.Error("there is no policy mse1999")
	}
}

func TestExitPoliciesAreDocumented(t *testing.T) {
	page, err := os.ReadFile("../docs/faults.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range ExitPolicies {
		if row := fmt.Sprintf("| `%s` | %s |", p.Name, p.Doc); !strings.Contains(string(page), row) {
			t.Errorf("docs/faults.md must have this row:\n%s", row)
		}
	}
}
