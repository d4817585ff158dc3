package oracle

import (
	"slices"
)

// afterFailedAllocation judges what follows an allocation that was made to fail. The
// library may say so: solve may give up or answer an error, and it may print a message.
// What else is wrong from there on is of class 5.8, whatever it would be otherwise. Hangs
// and memory keep their classes, because it takes more runs to believe them.
func (j *Judge) afterFailedAllocation() {
	from := j.run.FailedAllocation - 1
	j.findings = slices.DeleteFunc(j.findings, func(f Finding) bool {
		return f.Call >= from && (f.Class == GaveUp || f.Class == ErrorMessage || f.Class == WrongTermination)
	})
	for i := range j.findings {
		f := &j.findings[i]
		if f.Call < from || f.Class == TooSlow || f.Class == TooMuchMemory {
			continue
		}
		f.Class, f.Detail = FailedAllocation, "then: "+string(f.Class)+" "+f.Detail
		f.Observed += " (an allocation had failed " + j.placeOf(from) + ")"
		f.Expected = "an error, or a solver that can be used: " + f.Expected
	}
	// Several faults of one class may be one now.
	slices.SortStableFunc(j.findings, WorstFirst)
}
