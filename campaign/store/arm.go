package store

import "time"

// An Arm is a cell as the scheduler sees it.
type Arm struct {
	Spent  time.Duration `json:"spent_ns"` // in all
	Recent float64       `json:"recent"`   // seconds, those of long ago fading
	News   float64       `json:"news"`     // findings, fading likewise
}
