package oracle

import (
	"encoding/json"
	"strings"
	"testing"
)

var keys = []struct {
	target, detail string
	text           string
}{
	{"ref:defect=17", "not optimal", "ref:defect=17 2.1 not optimal"},
	{"pipe:solver --opt 2.1 x", "not optimal", "pipe:solver --opt_2.1 x 2.1 not optimal"},
	{"pipe:a  b", "a  b", "pipe:a  b 2.1 a  b"},
	{"pipe:a\n b\t", "two\nlines", "pipe:a b 2.1 two lines"},
	{"a 1.5 - b", "", "a_1.5 - b 2.1 "},
	{"a 1.5 B", "x", "a_1.5 B 2.1 x"},
	{"a 1.5", "x", "a_1.5 2.1 x"},
	{"2.1 S a", "x", "2.1 S a 2.1 x"},
	{"a 1.5 S 1.5 S 1.5 S", "x", "a_1.5 S_1.5 S_1.5 S 2.1 x"},
	{"", "x", " 2.1 x"},
	{"a", "with other instances only: 2.3 S", "a 2.1 with other instances only: 2.3 S"},
	{"a", "b 3.1 - c", "a 2.1 b 3.1 - c"},
	{"a", "S c", "a 2.1 S c"},
	{"a", "-", "a 2.1 -"},
	{"\xff", "\xfe", "\xff 2.1 \xfe"},
}

func TestKeyText(t *testing.T) {
	for _, c := range keys {
		key := (&Finding{Class: NotOptimal, Detail: c.detail}).Key(c.target)
		if key.String() != c.text {
			t.Errorf("target %q, detail %q: key %q, want %q", c.target, c.detail, key, c.text)
		}
		if parsed, err := parseKey(c.text); err != nil || parsed != key {
			t.Errorf("%q parses to %#v, %v; want %#v", c.text, parsed, err, key)
		}
		if !key.IsOf(c.target) || key.IsOf(c.target+"x") {
			t.Errorf("%q is of another target than %q", key, c.target)
		}
	}
}

func TestNoKeys(t *testing.T) {
	for _, text := range []string{"", "x", "a 2.1 S\nb", "2.1 S b", "a 2.0 S b", "a 0.1 S b", "a 2.1b", "a 2.10 b"} {
		if key, err := parseKey(text); err == nil {
			t.Errorf("%q parses to %#v", text, key)
		}
	}
	if key, err := parseKey("a 2.1"); err != nil || key != (Key{"a", NotOptimal, ""}) {
		t.Errorf("without the last blank: %#v, %v", key, err)
	}
}

// TestShortKeys: a key with a long name means that with a short one.
func TestShortKeys(t *testing.T) {
	for _, row := range []struct {
		text string
		want Key
	}{
		{"a b 2.1 ", Key{"a b", NotOptimal, ""}},
		{"a 2.1 f<std::pair<int, int>, std::allocator<std::pair<int, int> > >::g", Key{"a", NotOptimal, "f<#6ef79ab5>::g"}},
	} {
		if key, err := parseKey(row.text); err != nil || key != row.want {
			t.Errorf("%q parses to %#v, %v; want %#v", row.text, key, err, row.want)
		}
	}
}

func FuzzParseKey(f *testing.F) {
	for _, c := range keys {
		f.Add(c.text, c.target, c.detail)
	}
	f.Fuzz(func(t *testing.T, text, target, detail string) {
		made := (&Finding{Class: Segfault, Detail: detail}).Key(target)
		if parsed, err := parseKey(made.String()); err != nil || parsed != made {
			t.Errorf("target %q, detail %q: %q parses to %#v, %v; want %#v", target, detail, made, parsed, err, made)
		}
		key, err := parseKey(text)
		if err != nil {
			return
		}
		if again, err := parseKey(key.String()); err != nil || again != key {
			t.Errorf("%q parses to %q, which parses to %q, %v", text, key, again, err)
		}
		if again := key.On(key.Target); again != key || !key.IsOf(key.Target) {
			t.Errorf("%#v on its own target is %#v", key, again)
		}
	})
}

// TestKeyJSON: keys are strings in JSON, as values and as names of fields, and "" is the zero key.
func TestKeyJSON(t *testing.T) {
	key := Key{"a <b>", NotOptimal, `"x"`}
	type record struct {
		Key  Key
		Hits map[Key]int
		None Key `json:",omitzero"`
	}
	got, err := json.Marshal(record{Key: key, Hits: map[Key]int{key: 2, {"a", NotOptimal, ""}: 1}})
	const want = `{"Key":"a \u003cb\u003e 2.1 \"x\"","Hits":{"a 2.1 ":1,"a \u003cb\u003e 2.1 \"x\"":2}}`
	if err != nil || string(got) != want {
		t.Errorf("got  %s, %v\nwant %s", got, err, want)
	}
	var read record
	if err := json.Unmarshal([]byte(want), &read); err != nil || read.Key != key || read.Hits[key] != 2 {
		t.Errorf("read %+v, %v", read, err)
	}
	if err := json.Unmarshal([]byte(`{"Key":""}`), &read); err != nil || !read.Key.IsZero() {
		t.Errorf("no key: %+v, %v", read.Key, err)
	}
	if err := json.Unmarshal([]byte(`{"Key":"a"}`), &read); err == nil {
		t.Errorf("%+v is read of what is not a key", read.Key)
	}
}

func TestLighterThan(t *testing.T) {
	order := []WeightClass{SmallWeights, BigWeights, HugeWeights}
	for i, light := range order {
		for k, heavy := range order {
			if got := light.LighterThan(heavy); got != (i < k) {
				t.Errorf("%s lighter than %s: %v", light, heavy, got)
			}
		}
		if NoWeights.LighterThan(light) || light.LighterThan(NoWeights) {
			t.Errorf("%s is compared with no weights", light)
		}
	}
}

// TestTitle checks that no terminal obeys what a title quotes of a target.
func TestTitle(t *testing.T) {
	f := Finding{Class: ErrorMessage, Detail: "heap-use-after-free \x1b[31mmain\u009b2J"}
	if got := f.Title(); strings.ContainsAny(got, "\x1b\u009b") || !strings.Contains(got, "[31mmain") {
		t.Errorf("%q", got)
	}
}
