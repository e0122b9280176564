package main

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
)

// nodeGCPercent lets garbage grow to so many hundredths of what lives before it is
// collected, while there is room: a node's live heap is small against what its
// statements throw away.
const nodeGCPercent = 400

// memoryShare of the memory there is: beyond it collection is more eager.
const memoryShare = 0.5

// tuneMemory sets how eagerly garbage is collected, unless the environment says it
// (GOGC, GOMEMLIMIT). Where the size of the memory cannot be told all stays as it is.
func tuneMemory() {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	if most := memoryBytes(); most > 0 {
		debug.SetMemoryLimit(int64(float64(most) * memoryShare))
		debug.SetGCPercent(nodeGCPercent)
	}
}

// memoryBytes is what this process may use: the machine's memory, or less if it is
// in a group of processes that may use less. 0: it is not known.
func memoryBytes() int64 {
	meminfo, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0
	}
	most := totalOf(meminfo)
	for _, file := range []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		b, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		if n, err := strconv.ParseInt(strings.TrimSpace(string(b)), 10, 64); err == nil && n > 0 {
			most = min(most, n)
		}
	}
	return most
}

// totalOf reads the size of the memory from what the kernel says of it.
func totalOf(meminfo []byte) int64 {
	for line := range bytes.Lines(meminfo) {
		var kib int64
		if n, err := fmt.Sscanf(string(line), "MemTotal: %d kB", &kib); n == 1 && err == nil && kib > 0 && kib < math.MaxInt64>>10 {
			return kib << 10
		}
	}
	return 0
}
