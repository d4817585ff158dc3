package qbf

// Numbers maps variables to small numbers. A slice has those of variables below lowest, which nearly all are.
type Numbers struct {
	low   []numbered
	high  map[int32]int32 // 1 + the number
	stamp uint32          // entries of low with another stamp are from before the last Reset
}

type numbered struct {
	stamp uint32
	after int32 // 1 + the number; 0: none
}

const lowest = 1 << 12

// Reset forgets all numbers.
func (n *Numbers) Reset() {
	if n.stamp++; n.stamp == 0 {
		clear(n.low)
	}
	clear(n.high)
}

// Set gives a variable a number of at least 0.
func (n *Numbers) Set(v, number int32) {
	if v >= lowest {
		if n.high == nil {
			n.high = make(map[int32]int32)
		}
		n.high[v] = number + 1
		return
	}
	for int(v) >= len(n.low) {
		n.low = append(n.low, numbered{})
	}
	n.low[v] = numbered{n.stamp, number + 1}
}

// Of returns the number of a variable, or -1 if it has none.
func (n *Numbers) Of(v int32) int32 {
	if int(v) < len(n.low) {
		if e := &n.low[v]; e.stamp == n.stamp {
			return e.after - 1
		}
		return -1
	}
	if v < lowest {
		return -1
	}
	return n.high[v] - 1
}
