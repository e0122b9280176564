package lab

import (
	"fmt"
	"os"
	"slices"
	"time"
)

// syncBytes is what is written before each sync that is measured: a commit's share of a log.
const syncBytes = 512

// Syncs are how long writes took until a disk had them, in the order of time taken.
type Syncs []time.Duration

// MeasureSync writes to a new file in dir and makes it durable, n times, one after the other. It
// is what one sync costs that nobody shares; other work on the disk makes it slower. The file is
// gone afterwards.
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

// Part is the time that so many percent of the syncs took at most; 0 if there is none.
func (s Syncs) Part(percent int) time.Duration {
	if len(s) == 0 {
		return 0
	}
	return s[min(len(s)*percent/100, len(s)-1)]
}
