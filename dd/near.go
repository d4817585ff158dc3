package dd

import "github.com/ipafuzz/ipafuzz/trace"

// What a failure needs is mostly connected: clauses that share variables. So passes put
// what shares variables side by side. Then most sets that they try hold nothing that is
// needed, or several such things at once.

// nearness numbers groups of calls by a breadth-first search over shared variables: near
// ones get near numbers.
func nearness(t *trace.Trace, groups []int, n int) []int {
	vars := make([][]int32, n)
	with := make(map[int32][]int) // the groups of variables that were not met yet
	for i := range t.Calls {
		for _, lit := range litsOf(t, i) {
			v := trace.Var(lit)
			vars[groups[i]] = append(vars[groups[i]], v)
			with[v] = append(with[v], groups[i])
		}
	}
	near := make([]int, n)
	met := make([]bool, n)
	next := 0
	for first := range n {
		if met[first] {
			continue
		}
		met[first] = true
		for queue := []int{first}; len(queue) > 0; queue = queue[1:] {
			near[queue[0]] = next
			next++
			for _, v := range vars[queue[0]] {
				for _, group := range with[v] {
					if !met[group] {
						met[group] = true
						queue = append(queue, group)
					}
				}
				delete(with, v)
			}
		}
	}
	return near
}
