package bindings

import (
	"encoding/json"
	"slices"
	"testing"
)

// requests are requests of long calls, which are only read.
var requests = []func([]byte) error{
	reads[readRequest], reads[statsRequest], reads[openRequest], reads[replayRequest], reads[minimizeRequest],
	reads[programRequest], reads[campaignRequest], reads[generateRequest],
}

func reads[R any](text []byte) error {
	_, err := read[R](text)
	return err
}

// FuzzCall makes calls with damaged requests. Whatever they are, the answer is JSON and no fault of
// ipafuzz.
func FuzzCall(f *testing.F) {
	for name, request := range map[string]string{
		"close":          `{"thing": 1}`,
		"parse":          `{"text": "ipafuzz 1 ipamir\nhard 1 0\nsolve\n"}`,
		"binary":         `{"trace": "ipafuzz 1 ipamir\nhard 1 0\nsolve\n"}`,
		"calls":          `{"trace": "ipafuzz 1 ipamir\nhard 1 0\nsolve\n"}`,
		"convert":        `{"text": "p cnf 1 1\n1 0\n", "from": "cnf", "to": "wcnf"}`,
		"render":         `{"trace": "ipafuzz 1 ipamir\nhard 1 0\nsolve\n", "format": "wcnf"}`,
		"names":          `{}`,
		"generate":       `{"name": "tiny", "model": "ipasir", "seed": 1, "max_vars": 5, "avoid": ["gaps"]}`,
		"generator.next": `{"thing": 1, "count": 2}`,
		"archive.read":   `{"thing": 1, "number": 0}`,
		"fuzz":           `{"target": "ref", "seconds": 1, "seed": 1, "profiles": ["tiny"]}`,
		"replay":         `{"trace": "ipafuzz 1 ipamir\nsolve\n", "open": {"target": "ref"}}`,
		"minimize":       `{"trace": "ipafuzz 1 ipamir\nsolve\n", "key": "ref/2.1/not optimal", "seed": 1}`,
	} {
		f.Add(name, []byte(request))
	}
	f.Add("calls", []byte(`{"trace": "\ud800"}`))
	// These change the process, or reach for files.
	unsafe := []string{"configure", "archive.open", "panic"}
	f.Fuzz(func(t *testing.T, name string, request []byte) {
		for _, read := range requests {
			if err := read(request); err != nil && !misused(err) {
				t.Errorf("a request that cannot be read is an error of another kind: %v", err)
			}
		}
		if quick[name] == nil || slices.Contains(unsafe, name) {
			return
		}
		text := Call(name, string(request))
		var said answer
		if err := json.Unmarshal([]byte(text), &said); err != nil {
			t.Fatalf("the answer %q: %v", text, err)
		}
		if said.Error != nil && said.Error.Kind == "internal" {
			t.Errorf("%s: %s\n%s", said.Error.Message, request, said.Error.Stack)
		}
	})
}
