package lab

import (
	"fmt"
	"os"
	"slices"
	"time"
)

// syncBytes is the size of the write before each measured sync: a commit's share of a log.
const syncBytes = 512

// Syncs are durations of syncs, ascending.
type Syncs []time.Duration

// MeasureSync writes to a new file in dir and syncs it, n times in sequence: the cost of an
// unshared sync; other load on the disk makes it slower. It removes the file at the end.
func MeasureSync(dir string, n int) (Syncs, error) {
	f, err := os.CreateTemp(dir, "isochron-sync-")
	if err != nil {
		return nil, fmt.Errorf("no file can be made to measure syncs with: %w", err)
	}
	defer func() {
		f.Close()
		os.Remove(f.Name())
	}()
	var took Syncs
	for range n {
		if _, err := f.Write(make([]byte, syncBytes)); err != nil {
			return nil, fmt.Errorf("%s cannot be written: %w", f.Name(), err)
		}
		began := time.Now()
		if err := f.Sync(); err != nil {
			return nil, fmt.Errorf("%s cannot be synced: %w", f.Name(), err)
		}
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	return took, nil
}

// Part returns the time within which percent of the syncs ended; 0 if there is none.
func (s Syncs) Part(percent int) time.Duration {
	if len(s) == 0 {
		return 0
	}
	return s[min(len(s)*percent/100, len(s)-1)]
}
