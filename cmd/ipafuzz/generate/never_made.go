package generate

import (
	"strings"

	"github.com/ipafuzz/ipafuzz/apimodel"
)

// NeverMade lists the calls that a model adds to its standard interface and that traces for no target in particular
// lack, because not every library has them.
func NeverMade(m *apimodel.Model) string {
	var none *apimodel.Description
	var names []string
	for i := range m.Calls {
		if c := &m.Calls[i]; !none.Has(c.Optional) && apimodel.IPASIR.Call(c.Op) == nil {
			names = append(names, c.Name)
		}
	}
	return strings.Join(names, ", ")
}
