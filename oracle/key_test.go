package oracle

import (
	"encoding/json"
	"testing"
)

var keys = []struct {
	target, detail string
	text           string
}{
	{"ref:defect=17", "not optimal", "ref:defect=17 2.1 S not optimal"},
	{"pipe:solver --opt 2.1 x", "not optimal", "pipe:solver --opt 2.1 x 2.1 S not optimal"},
	{"pipe:a  b", "a  b", "pipe:a  b 2.1 S a  b"},
	{"pipe:a\n b\t", "two\nlines", "pipe:a b 2.1 S two lines"},
	{"a 1.5 - b", "", "a 1.5_- b 2.1 S "},
	{"a 1.5 B", "x", "a 1.5_B 2.1 S x"},
	{"2.1 S a", "x", "2.1 S a 2.1 S x"},
	{"a 1.5 S 1.5 S 1.5 S", "x", "a 1.5_S 1.5_S 1.5_S 2.1 S x"},
	{"", "x", " 2.1 S x"},
	{"a", "with other instances only: 2.3 S", "a 2.1 S with other instances only: 2.3 S"},
	{"a", "b 3.1 - c", "a 2.1 S b 3.1 - c"},
	{"\xff", "\xfe", "\xff 2.1 S \xfe"},
}

func TestKeyText(t *testing.T) {
	for _, c := range keys {
		key := (&Finding{Class: NotOptimal, Weight: SmallWeights, Detail: c.detail}).Key(c.target)
		if key.String() != c.text {
			t.Errorf("target %q, detail %q: key %q, want %q", c.target, c.detail, key, c.text)
		}
		if parsed, err := ParseKey(c.text); err != nil || parsed != key {
			t.Errorf("%q parses to %#v, %v; want %#v", c.text, parsed, err, key)
		}
		if !key.IsOf(c.target) || key.IsOf(c.target+"x") {
			t.Errorf("%q is of another target than %q", key, c.target)
		}
	}
}

func TestNoKeys(t *testing.T) {
	for _, text := range []string{"", "x", "a 2.1", "a 2.1 S\nb", "2.1 S b", "a 2.1 X b", "a 2.0 S b", "a 0.1 S b",
		"a 2.1  b"} {
		if key, err := ParseKey(text); err == nil {
			t.Errorf("%q parses to %#v", text, key)
		}
	}
	if key, err := ParseKey("a 2.1 S"); err != nil || key != (Key{"a", NotOptimal, SmallWeights, ""}) {
		t.Errorf("without the last blank: %#v, %v", key, err)
	}
}

func FuzzParseKey(f *testing.F) {
	for _, c := range keys {
		f.Add(c.text, c.target, c.detail)
	}
	f.Fuzz(func(t *testing.T, text, target, detail string) {
		made := (&Finding{Class: Segfault, Weight: NoWeights, Detail: detail}).Key(target)
		if parsed, err := ParseKey(made.String()); err != nil || parsed != made {
			t.Errorf("target %q, detail %q: %q parses to %#v, %v; want %#v", target, detail, made, parsed, err, made)
		}
		key, err := ParseKey(text)
		if err != nil {
			return
		}
		if got := key.String(); got != text && got != text+" " {
			t.Errorf("%q parses to the key %q", text, got)
		}
		if again := key.On(key.Target); again != key || !key.IsOf(key.Target) {
			t.Errorf("%#v on its own target is %#v", key, again)
		}
	})
}

// TestKeyJSON: keys are texts in JSON, as values and as names; none is "".
func TestKeyJSON(t *testing.T) {
	key := Key{"a <b>", NotOptimal, BigWeights, `"x"`}
	type record struct {
		Key  Key
		Hits map[Key]int
		None Key `json:",omitzero"`
	}
	got, err := json.Marshal(record{Key: key, Hits: map[Key]int{key: 2, {"a", NotOptimal, BigWeights, ""}: 1}})
	const want = `{"Key":"a \u003cb\u003e 2.1 B \"x\"","Hits":{"a 2.1 B ":1,"a \u003cb\u003e 2.1 B \"x\"":2}}`
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
		t.Errorf("%+v is read of what is no key", read.Key)
	}
}

func TestLighterThan(t *testing.T) {
	of := func(weight WeightClass) Key { return Key{"a", NotOptimal, weight, "x"} }
	order := []WeightClass{SmallWeights, BigWeights, HugeWeights}
	for i, light := range order {
		for k, heavy := range order {
			if got := of(light).LighterThan(of(heavy)); got != (i < k) {
				t.Errorf("%s lighter than %s: %v", light, heavy, got)
			}
		}
		if of(NoWeights).LighterThan(of(light)) || of(light).LighterThan(of(NoWeights)) {
			t.Errorf("%s is compared with no weights", light)
		}
	}
	other := of(SmallWeights)
	other.Detail = "y"
	if other.LighterThan(of(BigWeights)) {
		t.Error("another failure is taken for a lighter one")
	}
}
