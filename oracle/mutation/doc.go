// Package mutation holds the mutation run over package oracle and nothing for
// others to import: its tests alter the answers of a correct library, one at a
// time, and compare what the oracle says with a judgement that shares no code
// with it. docs/measured/judge.md is the table of the last full run.
package mutation
