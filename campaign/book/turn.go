package book

import "time"

// A Turn is a share of a worker's time for the numbers of one cell.
type Turn struct {
	Cell  *Cell
	Begun time.Time
	// ReadyAt is when the lane could make its first trace: the target may start slowly, and the previous
	// turn may take long to end.
	ReadyAt time.Time
	Length  time.Duration
	used    bool
}
