package cause

import "slices"

// If a failure needs a second solve, some of its needs only change what is solved: an assumption that no longer holds,
// a pop, a group that is deactivated. Any such change makes a stale answer wrong.

// isChange reports whether the need is a change since an earlier solve. A solve that repeats the last answer is wrong
// because of what has changed, which may be an assumption or the wish to stop.
func (f *Failure) isChange(v *Variant) bool {
	if f.Mistake == OldAnswer && f.Cause.needsSecondSolve() && (v.Name == "terminate" || v.broad().Name == "assumption" ||
		v.Within == "last-assumption") {
		return true
	}
	return f.Cause.isChange(v)
}

// isChange reports whether a need of the cause is a change since an earlier solve.
func (c Cause) isChange(v *Variant) bool { return v.change || v.undoes && c.needsSecondSolve() }

// needsSecondSolve reports whether the cause names anything about a second solve.
func (c Cause) needsSecondSolve() bool {
	return slices.ContainsFunc(c.Needs(), func(v *Variant) bool {
		return v.Name == "incremental" || v.Within == "incremental"
	})
}

// repeatsApart reports whether both failures repeat an answer, and a clause added before the last solve makes only one
// target answer anew.
func (f *Failure) repeatsApart(g *Failure) bool {
	return f.Mistake == OldAnswer && g.Mistake == OldAnswer &&
		(f.needsSameClauses() && g.failsWithMore() || g.needsSameClauses() && f.failsWithMore())
}

func (f *Failure) needsSameClauses() bool { return f.Cause.needs("nothing-added") }

// failsWithMore reports whether the failure stays if a clause is added before the last solve.
func (f *Failure) failsWithMore() bool {
	return f.Cause != "" && !f.needsSameClauses() && len(Named("nothing-added").Versions(f.Minimal)) > 0
}
