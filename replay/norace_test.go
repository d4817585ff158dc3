//go:build !race

package replay_test

const sanitized = false
