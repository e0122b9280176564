package main

import (
	"context"
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

// measured is sysbench's test script; see there.
//
//go:embed measured.lua
var measured []byte

// thread has measured.lua's counts of one thread, in its layout.
type thread struct {
	Commits, Lost, Unknown, Longest, Most int64
	Begun, Tries                          int64
	Latencies                             [2100]uint32
}

// bucketWidth is measured.lua's.
const bucketWidth = 1.01

// sysbenchDrain bounds the end of sysbench after its time. A thread whose last try does not end is
// counted all the same.
const sysbenchDrain = 30 * time.Second

// runSysbench runs one of sysbench's tests, measured.
func (b *bench) runSysbench(ctx context.Context, s *server, l load, connections, seconds int) (figures, error) {
	file := filepath.Join(filepath.Dir(b.script), "measured")
	if err := os.WriteFile(file, make([]byte, connections*binary.Size(thread{})), 0o600); err != nil {
		return figures{}, err
	}
	env := []string{"MEASURED_TEST=" + l.test, "MEASURED_FILE=" + file, fmt.Sprintf("MEASURED_WARMUP=%d", b.Warmup), fmt.Sprintf("MEASURED_SECONDS=%d", seconds)}
	args := append(s.sysbench(l.database), "--db-ps-mode=auto", "--rand-type="+l.spread, fmt.Sprintf("--rand-seed=%d", 1+time.Now().UnixNano()%1_000_000),
		fmt.Sprintf("--threads=%d", connections), fmt.Sprintf("--time=%d", b.Warmup+seconds), "--mysql-ignore-errors=1213,1205,1158,1412,1020,1180", b.script, "run")
	_, err := output(ctx, time.Duration(b.Warmup+seconds)*time.Second+sysbenchDrain, env, "sysbench", args...)
	if err != nil && !errors.Is(err, errLimit) {
		return figures{}, err
	}
	return readThreads(file, connections, seconds, err != nil)
}

// readThreads adds up the threads' counts. cut: sysbench was ended from outside, and transactions
// under way have taken until now.
func readThreads(file string, threads, seconds int, cut bool) (figures, error) {
	f, err := os.Open(file)
	if err != nil {
		return figures{}, err
	}
	all := make([]thread, threads)
	if err := errors.Join(binary.Read(f, binary.LittleEndian, all), f.Close()); err != nil {
		return figures{}, fmt.Errorf("what sysbench has counted: %w", err)
	}
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &now); err != nil {
		return figures{}, err
	}
	return ofThreads(all, seconds, cut, now.Nano()/1000), nil
}

func ofThreads(all []thread, seconds int, cut bool, nowMicros int64) (f figures) {
	var within, lost, commits int64
	buckets := map[int]int64{}
	for _, t := range all {
		within, lost, f.Unknown = within+t.Commits, lost+t.Lost, f.Unknown+t.Unknown
		longest, tries := t.Longest, t.Most
		if cut && t.Begun > 0 {
			longest, tries = max(longest, nowMicros-t.Begun), max(tries, t.Tries)
			f.Stuck++
		}
		f.Longest, f.Tries = max(f.Longest, float64(longest)/1000), max(f.Tries, tries)
		for at, n := range t.Latencies {
			if n > 0 {
				buckets[at] += int64(n)
				commits += int64(n)
			}
		}
	}
	f.PerSecond = float64(within) / float64(seconds)
	f.Lost = float64(lost) / float64(max(1, commits))
	if commits > 0 {
		f.P50, f.P99, f.P999 = quantile(buckets, commits, 0.50), quantile(buckets, commits, 0.99), quantile(buckets, commits, 0.999)
	}
	return f
}

// quantile of latencies in buckets, in milliseconds.
func quantile(buckets map[int]int64, all int64, q float64) float64 {
	left := int64(math.Ceil(q * float64(all)))
	at := 0
	for _, at = range slices.Sorted(maps.Keys(buckets)) {
		if left -= buckets[at]; left <= 0 {
			break
		}
	}
	return math.Pow(bucketWidth, float64(at)+0.5) / 1000
}
