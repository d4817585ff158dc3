package apimodel

import (
	"reflect"
	"strings"
	"testing"
)

const fullDescription = `# a solver
model ipamir
lacks learn
lacks instances
option simplify bool on when=anytime  # simplify before each solve
option restart int 1 1000000 100 when=anytime
option decay real 0.5 1 0.95 when=start
option engine choice core|linear|rc2 core
option check bool 0 when=start checks=1 # all models
fixed threads int 1 64 1
exclude engine=linear simplify=off
exclude decay=1 restart=1 engine=rc2
policy soft-zero=rejected
policy weight-sum=below-2^63
max-vars 100
max-calls 1000
max-weight 4294967295
max-sum 18446744073709551615
`

func TestParseDescription(t *testing.T) {
	d, err := ParseDescription(fullDescription)
	if err != nil {
		t.Fatal(err)
	}
	want := &Description{
		Models: []string{"ipamir"},
		Bounds: Bounds{100, 1000, 1<<32 - 1, 1<<64 - 1},
		Lacks:  []string{"learn", "instances"},
		Options: []Option{
			{Name: "simplify", Kind: Bool, Default: "on", When: Anytime, Doc: "simplify before each solve"},
			{Name: "restart", Kind: Int, Min: 1, Max: 1000000, Default: "100", When: Anytime},
			{Name: "decay", Kind: Real, MinReal: 0.5, MaxReal: 1, Default: "0.95"},
			{Name: "engine", Kind: Choice, Choices: []string{"core", "linear", "rc2"}, Default: "core"},
			{Name: "check", Kind: Bool, Default: "0", Checks: "1", Doc: "all models"},
			{Name: "threads", Kind: Int, Min: 1, Max: 64, Default: "1", Fixed: true},
		},
		Exclusions: []Exclusion{
			{{"engine", "linear"}, {"simplify", "off"}},
			{{"decay", "1"}, {"restart", "1"}, {"engine", "rc2"}},
		},
		Policies: map[string]string{"soft-zero": "rejected", "weight-sum": "below-2^63"},
	}
	if !reflect.DeepEqual(d, want) {
		t.Errorf("got  %+v\nwant %+v", d, want)
	}
	again, err := ParseDescription(d.String())
	if err != nil || !reflect.DeepEqual(again, d) {
		t.Errorf("does not read back: %v\n%s", err, d)
	}
	if err := d.Validate(); err != nil {
		t.Error(err)
	}
	if d.Has("learn") || !d.Has("terminate") || !d.Has("havoc") || !d.Has("") {
		t.Error("wrong capabilities")
	}
	if d.Policy("soft-zero") != "rejected" ||
		d.Policy("val-zero") != "completion" || d.Policy("no-such") != "" {
		t.Error("wrong policies")
	}
}

func TestNoDescription(t *testing.T) {
	var d *Description
	if !d.Has("terminate") || !d.Has("instances") || !d.Has("") || d.Has("havoc") || d.Has("options") {
		t.Error("a target without description does not have exactly the standard capabilities")
	}
	if d.Policy("soft-zero") != "allowed" || d.Option("x") != nil || d.Validate() != nil {
		t.Error("a target without description has other than default policies, or options")
	}
	if _, excluded := d.Excluded(nil); excluded {
		t.Error("a target without description excludes something")
	}
}

func TestExcluded(t *testing.T) {
	d, err := ParseDescription(fullDescription)
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		settings map[string]string
		want     string
	}{
		{nil, ""},
		{map[string]string{"engine": "linear"}, ""},
		{map[string]string{"simplify": "off"}, ""},
		{map[string]string{"simplify": "off", "engine": "linear"}, "engine=linear simplify=off"},
		{map[string]string{"decay": "1.0", "restart": "1", "engine": "rc2"}, "decay=1 restart=1 engine=rc2"},
		{map[string]string{"decay": "1.0", "restart": "2", "engine": "rc2"}, ""},
	}
	for _, test := range tests {
		got, excluded := d.Excluded(test.settings)
		if excluded != (test.want != "") || got.String() != test.want {
			t.Errorf("%v: got %q, want %q", test.settings, got, test.want)
		}
	}

	// Options that are not set count with their defaults.
	d, err = ParseDescription("option a bool 1\noption b bool 0\nexclude a=1 b=1\n")
	if err != nil {
		t.Fatal(err)
	}
	if _, excluded := d.Excluded(map[string]string{"b": "1"}); !excluded {
		t.Error("b=1 is not excluded, although a is 1 by default")
	}
}

func TestParseDescriptionErrors(t *testing.T) {
	tests := []struct{ text, want string }{
		{"\n\nbogus x",
			`line 3: unknown word "bogus"; a line begins with model, lacks, option, fixed, exclude, policy, max-vars, ` +
				`max-calls, max-weight or max-sum`},
		{"model dimacs", `line 1: unknown model "dimacs"`},
		{"model ipasir\nmodel ipasir", "line 2: model ipasir is named twice"},
		{"lacks everything", "the capabilities are terminate, learn, instances, options, havoc"},
		{"lacks", "want: lacks CAPABILITY"},
		{"option a", "want: option NAME KIND ... DEFAULT"},
		{"option a bool maybe", "line 1: the default is out of range: option a does not take \"maybe\""},
		{"option a bool 0 1", "want: option a bool DEFAULT"},
		{"option a int 1 2", "want: option a int MIN MAX DEFAULT"},
		{"option a int 1 x 1", "MIN and MAX are integers"},
		{"option a int 2 1 1", "MIN 2 is above MAX 1"},
		{"option a int 1 2 3", `option a does not take "3": it takes an integer from 1 to 2`},
		{"option a int 1 9223372036854775808 3", "MIN and MAX are integers from -2^63 to 2^63-1"},
		{"option a real 0 nan 0", "MIN and MAX are finite decimal numbers"},
		{"option a real 0 1e999 0", "MIN and MAX are finite decimal numbers"},
		{"option a real 0 1 2", "it takes a number from 0 to 1"},
		{"option a choice x|y z", "it takes one of x, y"},
		{"option a choice x||y x", "a choice is empty"},
		{"option a choice x|x x", "choice x is named twice"},
		{"option a enum x|y x", `unknown kind "enum"; the kinds are bool, int, real and choice`},
		{"option a bool 1 when=never", `"when=never": an option is set when=start or when=anytime`},
		{"option a bool when=start when=start", "when= stands twice"},
		{"option a bool 0 checks=", "want: checks=VALUE"},
		{"option a bool 0 checks=2", "option a does not take \"2\": it takes 0 or 1"},
		{"option a bool 0 checks=0", "option a: checks= is for a value that generators set and that is not the default"},
		{"fixed a bool 0 checks=1", "option a: checks= is for a value that generators set and that is not the default"},
		{"option a bool 0 checks=1 when=start", "want: option a bool DEFAULT"},
		{"option a=b bool 1", "holds '='"},
		{"option a bool 1\noption a bool 1", "line 2: option a is described twice"},
		{"option a\x00 bool 1", "unprintable character U+0000"},
		{"option \xff bool 1", "is not UTF-8"},
		{"option " + strings.Repeat("a", 300) + " bool 1", "is longer than 256 bytes"},
		{"option a bool 1 " + strings.Repeat(" ", 5000), "longer than 4096 bytes"},
		{"exclude a=1", "want: exclude NAME=VALUE NAME=VALUE ..., 2 to 16 of them"},
		{"exclude a b", `"a" is not of the form NAME=VALUE`},
		{"exclude a=1 a=0", "option a stands twice in one exclusion"},
		{"\nexclude a=1 b=1", `line 2: the exclusion names "a", which is not an option`},
		{"option a bool 1\noption b bool 1\nexclude a=0 b=2", `line 3: option b does not take "2"`},
		{"option a bool 1\noption b bool 1\nexclude a=1 b=1", "line 3: the defaults themselves are excluded: a=1 b=1"},
		{"policy soft-zero", "want: policy NAME=VALUE"},
		{"max-vars", "want: max-vars NUMBER"},
		{"max-vars 0", "max-vars: want a number from 1 to 2^64-1, got"},
		{"max-calls 7", "max-calls: want a number from 8 to 2^64-1, got"},
		{"max-sum 18446744073709551616", "max-sum: want a number from 1 to 2^64-1, got"},
		{"max-sum 5\nmax-sum 5", "line 2: max-sum is named twice"},
		{"policy soft-zero=perhaps", `policy soft-zero can not be "perhaps": it is allowed or rejected`},
		{"policy zero=1", `unknown policy "zero"; the policies are soft-zero,`},
		{"policy instances=one", "instances is a capability, not a policy: say 'lacks instances'"},
		{"policy soft-zero=allowed\npolicy soft-zero=allowed", "line 2: policy soft-zero is set twice"},
		{strings.Repeat("#", MaxDescription+1), "more than the 1048576 that are read"},
	}
	for _, test := range tests {
		_, err := ParseDescription(test.text)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%.60q: got error %v\nwant one with %s", test.text, err, test.want)
		}
	}
}

func TestAccepts(t *testing.T) {
	d, err := ParseDescription("option b bool yes\noption i int -5 5 0\noption r real -1 1 0\noption c choice x|y=z x\n")
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		option string
		good   string
		bad    string
	}{
		{"b", "yes no", "true 1 Yes YES"},
		{"i", "-5 0 5", "-6 6 +5 05 -0 5.0 x 99999999999999999999"},
		{"r", "-1 0 1 0.5 5e-1 -0.25 +0.5 .5", "1.1 inf nan 0x1p-1 1_0 x 1e999"},
		{"c", "x y=z", "X y z x|y"},
	}
	for _, test := range tests {
		o := d.Option(test.option)
		for value := range strings.FieldsSeq(test.good) {
			if err := o.Accepts(value); err != nil {
				t.Error(err)
			}
		}
		for value := range strings.FieldsSeq(test.bad) {
			if err := o.Accepts(value); err == nil || !strings.Contains(err.Error(), o.Range()) {
				t.Errorf("option %s, value %s: %v", o.Name, value, err)
			}
		}
		if o.Accepts("") == nil {
			t.Errorf("option %s accepts the empty value", o.Name)
		}
	}
}

func TestSamples(t *testing.T) {
	d,
		err := ParseDescription("option b bool yes\noption small int -2 3 0\noption huge int -9223372036854775808 " +
		"9223372036854775807 7\n" +
		"option one int 4 4 4\noption r real 0 1 0.25\noption wide real -1e308 1e308 0\noption c choice x|y x\n")
	if err != nil {
		t.Fatal(err)
	}
	for i := range d.Options {
		o := &d.Options[i]
		seen := make(map[string]bool)
		for _, value := range o.Samples() {
			if err := o.Accepts(value); err != nil {
				t.Error(err)
			}
			if seen[value] {
				t.Errorf("option %s: the sample %s comes twice", o.Name, value)
			}
			seen[value] = true
		}
		if !seen[o.Default] {
			t.Errorf("option %s: the default is not a sample", o.Name)
		}
		if o.Kind == Int || o.Kind == Real {
			if low, high := o.Ends(); !seen[low] || !seen[high] {
				t.Errorf("option %s: an end of the range is not a sample", o.Name)
			}
		}
	}
	if got := strings.Join(d.Option("small").Samples(), " "); got != "-2 -1 0 1 2 3" {
		t.Errorf("samples of a small range: %s", got)
	}
}

func FuzzParseDescription(f *testing.F) {
	f.Add(fullDescription)
	f.Add("option a int -1 1 0 when=start checks=1 # x\n")
	f.Add("option a int -1 1 0 # x # y\nfixed b real 1e300 1E301 1e300 when=start\n")
	f.Add("exclude a=1 b=2 c=3\npolicy soft-zero=allowed")
	f.Add("option x choice when=start|b b when=anytime#\u00a0\x00\xff")
	f.Fuzz(func(t *testing.T, text string) {
		d, err := ParseDescription(text)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "description: ") {
				t.Errorf("the error does not say what is wrong: %v", err)
			}
			return
		}
		printed := d.String()
		again, err := ParseDescription(printed)
		if err != nil {
			t.Fatalf("%v in what was printed of %q:\n%s", err, text, printed)
		}
		if !reflect.DeepEqual(d, again) {
			t.Errorf("%q reads back differently:\n%s\n%s", text, printed, again)
		}
		d.Excluded(map[string]string{"a": "1"})
		for i := range d.Options {
			d.Options[i].Samples()
		}
	})
}
