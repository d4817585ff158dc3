package quantified

// numbers maps variables to small numbers. A slice has those of variables below lowest, which nearly all are.
type numbers struct {
	low  []int32 // 1 + the number; 0: none
	high map[int32]int32
	used []int32
}

const lowest = 1 << 12

func (n *numbers) reset() {
	for _, v := range n.used {
		n.low[v] = 0
	}
	n.used = n.used[:0]
	clear(n.high)
}

// set gives a variable a number of at least 0.
func (n *numbers) set(v, number int32) {
	if v < lowest {
		for int(v) >= len(n.low) {
			n.low = append(n.low, 0)
		}
		if n.low[v] == 0 {
			n.used = append(n.used, v)
		}
		n.low[v] = number + 1
		return
	}
	if n.high == nil {
		n.high = make(map[int32]int32)
	}
	n.high[v] = number + 1
}

// of returns the number of a variable, or -1 if it has none.
func (n *numbers) of(v int32) int32 {
	if v < lowest {
		if int(v) >= len(n.low) {
			return -1
		}
		return n.low[v] - 1
	}
	return n.high[v] - 1
}
