//go:build !race

package replay

const sanitized = false
