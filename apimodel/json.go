package apimodel

import "encoding/json"

// jsonVersion is the version of the output of MarshalJSON. Version 1 had numbers in place of
// names.
const jsonVersion = 2

type modelJSON struct {
	Version int        `json:"version"`
	ID      uint32     `json:"id"` // in the binary trace
	Name    string     `json:"name"`
	Title   string     `json:"title"`
	Extends string     `json:"extends,omitempty"`
	States  []string   `json:"states"`
	Calls   []callJSON `json:"calls"`
}

type callJSON struct {
	Name       string     `json:"name"`
	Operation  string     `json:"operation"`
	Function   string     `json:"function,omitempty"`
	Member     string     `json:"member,omitempty"`
	Argument   string     `json:"fixed_argument,omitempty"`
	Args       []string   `json:"arguments"`
	Reply      string     `json:"answer"`
	Effects    []string   `json:"effects"`
	Legal      []string   `json:"legal"`
	Steps      []stepJSON `json:"steps"` // none: the call keeps the state
	Capability string     `json:"capability,omitempty"`
	Doc        string     `json:"doc"`
}

type stepJSON struct {
	When string `json:"when,omitempty"` // omitted: always
	Then string `json:"then"`
}

// MarshalJSON writes the tables of the model, with names instead of numbers.
func (m *Model) MarshalJSON() ([]byte, error) {
	out := modelJSON{Version: jsonVersion, ID: m.ID, Name: m.Name, Title: m.Title, States: namesOf(m.States().List())}
	if m.Extends != nil {
		out.Extends = m.Extends.Name
	}
	for i := range m.Calls {
		call := &m.Calls[i]
		row := callJSON{Name: call.Name, Operation: call.Op.String(), Function: call.Function, Member: call.Member,
			Argument: call.Word, Args: namesOf(call.Args), Reply: call.Reply.String(), Effects: call.Does.names(),
			Legal: namesOf(call.Legal.List()), Steps: []stepJSON{}, Capability: call.Optional,
			Doc: call.Doc}
		for _, step := range call.Steps {
			row.Steps = append(row.Steps, stepJSON{When: step.When.String(), Then: step.Then.String()})
		}
		out.Calls = append(out.Calls, row)
	}
	return json.Marshal(out)
}

func namesOf[T interface{ String() string }](values []T) []string {
	names := make([]string, 0, len(values))
	for _, v := range values {
		names = append(names, v.String())
	}
	return names
}
