package memory

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Machine returns the bytes this process may use: the machine's memory, or less if it is in a cgroup (of either
// version) with a lower limit. 0: unknown.
func Machine() int64 { return machineAt("/") }

// machineAt is Machine for a tree of files.
func machineAt(root string) int64 {
	meminfo, err := os.ReadFile(filepath.Join(root, "proc/meminfo"))
	if err != nil {
		return 0
	}
	most := totalOf(meminfo)
	for _, file := range groupFiles(root) {
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

// groupsMost bounds the depth of nested cgroups.
const groupsMost = 64

// groupFiles returns the files that may have a limit: of the process's cgroup and of its ancestors.
func groupFiles(root string) []string {
	const groups = "sys/fs/cgroup"
	var out []string
	climb := func(base, path, name string) {
		for range groupsMost {
			out = append(out, filepath.Join(root, base, path, name))
			if path = filepath.Dir(path); path == "." || path == "/" {
				break
			}
		}
		out = append(out, filepath.Join(root, base, name))
	}
	climb(groups, "/", "memory.max")
	climb(groups+"/memory", "/", "memory.limit_in_bytes")
	own, err := os.ReadFile(filepath.Join(root, "proc/self/cgroup"))
	if err != nil {
		return out
	}
	for line := range strings.Lines(string(own)) {
		// number:controllers:path
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3)
		switch {
		case len(fields) < 3:
		case fields[1] == "":
			climb(groups, fields[2], "memory.max")
		case strings.Contains(","+fields[1]+",", ",memory,"):
			climb(groups+"/memory", fields[2], "memory.limit_in_bytes")
		}
	}
	return out
}

// totalOf parses the memory's size from the kernel's report.
func totalOf(meminfo []byte) int64 {
	for line := range bytes.Lines(meminfo) {
		var kb int64
		if n, err := fmt.Sscanf(string(line), "MemTotal: %d kB", &kb); n == 1 && err == nil && kb > 0 && kb < math.MaxInt64>>10 {
			return kb << 10
		}
	}
	return 0
}

// resident returns the process's resident bytes; 0: unknown.
func resident() int64 {
	b, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	var size, pages int64
	if _, err := fmt.Sscan(string(b), &size, &pages); err != nil {
		return 0
	}
	return pages * int64(os.Getpagesize())
}
