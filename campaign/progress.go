package campaign

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/stats"
)

// While a campaign runs its state is written again and again, soon after the
// start already: what a run that is killed loses is at most so long.
const (
	stateSoonest = 100 * time.Millisecond
	stateEvery   = time.Second
)

// Lines of statistics are written as long after the last one as the run is old,
// in hundredths, so that a run of any length has some hundreds of them.
const (
	lineShare = 100
	lineMost  = time.Minute
)

// A StatsLine is a line of stats.jsonl.
type StatsLine struct {
	Time time.Time `json:"time"`
	stats.Stats
}

// save writes the state until ctx ends. What goes wrong ends the run.
func (c *Campaign) save(ctx context.Context) {
	wait := stateSoonest
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
		wait = min(2*wait, stateEvery)
		if err := c.saveOnce(false); err != nil {
			c.stop(err)
			return
		}
	}
}

// saveOnce writes the state, and then a line of statistics when one is due: so
// that no run that goes on has counted less than a line says.
func (c *Campaign) saveOnce(last bool) error {
	if err := c.writeHits(); err != nil {
		return err
	}
	c.mu.Lock()
	now, stats := c.state(), c.statsNow()
	c.mu.Unlock()
	now.Run = c.store.record.Run
	if err := c.store.write("state.json", now); err != nil {
		return &DirectoryError{Dir: c.store.dir, Err: err}
	}
	if due := c.lined + min(max(c.lined/lineShare, stateEvery), lineMost); !last && stats.Elapsed < due && c.lined > 0 {
		return nil
	}
	c.lined = stats.Elapsed
	for i := range stats.Cells {
		stats.Cells[i].Profiles = nil // large, and in the state
	}
	return c.store.line(StatsLine{time.Now().UTC(), stats})
}

// line appends to stats.jsonl.
func (s *store) line(v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if err := appendWhole(filepath.Join(s.dir, "stats.jsonl"), append(text, '\n')); err != nil {
		return &DirectoryError{Dir: s.dir, Err: err}
	}
	return nil
}

// appendWhole appends to a file, all or nothing unless the process is killed.
func appendWhole(path string, text []byte) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o644)
	if err == nil {
		var size int64
		if info, failed := file.Stat(); failed == nil {
			size = info.Size()
		}
		if _, err = file.Write(text); err != nil {
			file.Truncate(size)
		}
		err = errors.Join(err, file.Close())
	}
	return err
}

// mend drops the end of a file of lines that a run did not finish.
func mend(path string) error {
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	whole := len(text)
	for whole > 0 && text[whole-1] != '\n' {
		whole--
	}
	if whole == len(text) {
		return nil
	}
	return os.Truncate(path, int64(whole))
}
