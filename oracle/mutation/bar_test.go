package mutation

import "strings"

// bars are the least shares, in percent, of the wrong answers about problems too
// large to be searched that must be caught, by kind of alteration: some points
// below what was measured over 1,000 traces, because a run over 100 of another
// seed varies. No share was ever lowered to let a change of the oracle pass.
var bars = map[string]int{
	"solve": 80, "val": 95, "model": 98, "obj": 80, "core": 72, "withheld": 50, "unsupported": 100, "end": 100,
	"polls": 85, "exchanged": 60, "stale": 58, "together": 64, everything: 87,
}

const (
	everything = "all alterations"
	// tooFew wrong answers of a kind say nothing about its share.
	tooFew = 100
)

// holdToBars compares a table with the bars.
func holdToBars(b *bench, x *table) {
	kinds := map[string]*row{everything: {}}
	for i, name := range names() {
		kind, _, _ := strings.Cut(name, ":")
		if kinds[kind] == nil {
			kinds[kind] = &row{}
		}
		kinds[kind].add(&x.rows[i])
		kinds[everything].add(&x.rows[i])
	}
	for kind, bar := range bars {
		r := kinds[kind]
		if r == nil {
			b.t.Errorf("there is a bar for %q, and no such alteration", kind)
			continue
		}
		b.t.Logf("%s: %d of %d caught", kind, r.caught, r.wrong)
		if r.wrong >= tooFew && 100*r.caught < bar*r.wrong {
			b.t.Errorf("%s, in problems that are not searched: %d of %d wrong answers were caught, want %d%%", kind, r.caught,
				r.wrong, bar)
		}
	}
}
