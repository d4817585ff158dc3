package atmost

// Adders add the weights of the true literals in binary, and compare compares the sum with the bound, digit by
// digit. The number of clauses is linear in the number of binary ones of the weights, however large they are.
// But a solver notices late that a few weights already exceed the bound.

// sum returns the binary digits of the cost, the lowest first. 0 stands for a digit that is always 0.
func (e *encoder) sum(terms []Term) (digits []int32) {
	var column, carries []int32 // the digits to add at one place, and at the next
	for place := 0; ; place++ {
		column, carries = carries, column[:0]
		more := false
		for _, t := range terms {
			if place < 64 && t.Weight>>place != 0 {
				more = true
				if t.Weight>>place&1 != 0 {
					column = append(column, t.Lit)
				}
			}
		}
		if !more && len(column) == 0 {
			return digits
		}
		// To take digits in the order of their arrival makes a tree of adders, not a chain.
		for len(column) > 1 {
			inputs := min(3, len(column))
			sum, carry := e.adder(column[:inputs])
			column = append(column[inputs:], sum)
			carries = append(carries, carry)
		}
		digit := int32(0)
		if len(column) == 1 {
			digit = column[0]
		}
		digits = append(digits, digit)
	}
}

// adder adds two or three digits of one place. Its clauses state all implications among the two
// results and one input, in both directions, also redundant ones: without them, refutations take a
// hundred times as long.
func (e *encoder) adder(in []int32) (sum, carry int32) {
	sum, carry = e.variable(), e.variable()
	a, b := in[0], in[1]
	if len(in) == 2 {
		e.add(a, b, -sum)
		e.add(-a, -b, -sum)
		e.add(a, -b, sum)
		e.add(-a, b, sum)
		e.add(-a, -b, carry)
		e.add(a, -carry)
		e.add(b, -carry)
		e.add(-carry, -sum)
		return sum, carry
	}
	c := in[2]
	e.add(a, b, c, -sum)
	e.add(a, -b, -c, -sum)
	e.add(-a, b, -c, -sum)
	e.add(-a, -b, c, -sum)
	e.add(-a, -b, -c, sum)
	e.add(-a, b, c, sum)
	e.add(a, -b, c, sum)
	e.add(a, b, -c, sum)
	e.add(-a, -b, carry)
	e.add(-a, -c, carry)
	e.add(-b, -c, carry)
	e.add(a, b, -carry)
	e.add(a, c, -carry)
	e.add(b, c, -carry)
	for _, x := range in {
		e.add(-carry, -sum, x)
		e.add(carry, sum, -x)
	}
	return sum, carry
}

// compare requires that the number with these digits is at most the bound: a digit 1 where the bound has a 0
// needs a digit 0 at a higher place where the bound has a 1.
func (e *encoder) compare(digits []int32, bound uint64) {
	var excuses []int32
	for place := len(digits) - 1; place >= 0; place-- {
		isOne := place < 64 && bound>>place&1 != 0
		switch digit := digits[place]; {
		case isOne && digit == 0:
			return // the number is smaller, whatever its lower digits are
		case isOne:
			excuses = append(excuses, -digit)
		case digit != 0:
			e.clauses = append(e.clauses, -digit)
			e.add(excuses...)
		}
	}
}
