//go:build race

package replay_test

// The race detector's runtime counts as a sanitizer: with one in the process a
// library's calls of malloc go to it.
const sanitized = true
