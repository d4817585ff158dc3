package cause

import (
	"time"

	"github.com/ipafuzz/ipafuzz/replay"
)

var trialLimits = replay.Limits{CPU: 500 * time.Millisecond, Wall: 20 * time.Second, Memory: 256 << 20,
	Output: 16 << 20}
