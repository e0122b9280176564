package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// limit bounds the memory of the attacked node.
type limit struct {
	how   string // for people
	group string // directory of its group of processes; empty: there is none
	bytes int64
}

// newLimit makes a group of processes, if that is allowed.
func newLimit(megabytes int64) *limit {
	l := &limit{bytes: megabytes << 20}
	name := fmt.Sprintf("isochron-hostile-%d", os.Getpid())
	const v2, v1 = "/sys/fs/cgroup", "/sys/fs/cgroup/memory"
	amount := strconv.FormatInt(l.bytes, 10)
	// The parent's groups must be configured to count memory; where that is refused, the next step
	// is refused too.
	_ = os.WriteFile(filepath.Join(v2, "cgroup.subtree_control"), []byte("+memory"), 0o600)
	if l.make(filepath.Join(v2, name), "memory.max", amount) {
		l.how = "a cgroup of version 2"
		_ = os.WriteFile(filepath.Join(l.group, "memory.swap.max"), []byte("0"), 0o600) // there may be no swap
		return l
	}
	if l.make(filepath.Join(v1, name), "memory.limit_in_bytes", amount) {
		l.how = "a cgroup of version 1"
		_ = os.WriteFile(filepath.Join(l.group, "memory.memsw.limit_in_bytes"), []byte(amount), 0o600)
		return l
	}
	l.how = "GOMEMLIMIT, for no cgroup can be made here; the resident set is watched"
	return l
}

// make makes a group with a bound; false: it cannot be made.
func (l *limit) make(group, file, amount string) bool {
	if os.Mkdir(group, 0o700) != nil {
		return false
	}
	if _, err := os.Stat(filepath.Join(group, file)); err != nil || os.WriteFile(filepath.Join(group, file), []byte(amount), 0o600) != nil {
		_ = os.Remove(group)
		return false
	}
	l.group = group
	return true
}

// command runs a program under the bound: it goes into the group before it becomes the program.
func (l *limit) command(program string, args ...string) *exec.Cmd {
	if l.group == "" {
		cmd := exec.Command(program, args...)
		cmd.Env = append(os.Environ(), fmt.Sprintf("GOMEMLIMIT=%d", l.bytes*8/10))
		return cmd
	}
	return exec.Command("sh", append([]string{"-c", `echo $$ > "$0" && exec "$@"`, filepath.Join(l.group, "cgroup.procs"), program}, args...)...)
}

// close takes the group away; its processes have ended.
func (l *limit) close() {
	if l.group != "" {
		_ = os.Remove(l.group)
	}
}

// resident returns a process's present and largest memory, in bytes; 0: it is gone.
func resident(pid int) (now, peak int64) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, 0
	}
	for line := range strings.Lines(string(b)) {
		var kb int64
		if n, _ := fmt.Sscanf(line, "VmRSS: %d kB", &kb); n == 1 {
			now = kb << 10
		}
		if n, _ := fmt.Sscanf(line, "VmHWM: %d kB", &kb); n == 1 {
			peak = kb << 10
		}
	}
	return now, peak
}
