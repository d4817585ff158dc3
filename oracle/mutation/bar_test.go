package mutation

import "strings"

// bars are minimum shares, in percent and by kind of alteration, of wrong answers that the judge must notice
// if it cannot search the problem. They are some points below what 1,000 traces gave, because 100 traces of
// another seed vary. Do not lower a bar to let a change of the oracle pass.
var bars = map[string]int{
	"solve": 80, "val": 95, "model": 98, "obj": 80, "core": 72, "withheld": 50, "unsupported": 100, "end": 100,
	"polls": 85, "exchanged": 60, "stale": 58, "together": 64, everything: 87,
}

const (
	everything = "all alterations"
	// tooFew is the number of wrong answers of a kind below which their share says nothing.
	tooFew = 100
)

// holdToBars fails the test if a share in the table is below its bar.
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
