//go:build unix

package sourcetest

import (
	"errors"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
)

// process is a running program with its children.
type process struct {
	cmd  *exec.Cmd
	done chan struct{} // closed when it has ended
}

// start starts a program with its output in dir/log.
func start(dir, program string, args []string) (*process, error) {
	log, err := os.OpenFile(filepath.Join(dir, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, log, log
	if err := asUser(cmd); err != nil {
		return nil, err
	}
	dieWithParent(cmd)
	p := &process{cmd: cmd, done: make(chan struct{})}
	started := make(chan error)
	go func() {
		// The death of the thread that started it counts as its parent's: it stays here.
		runtime.LockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			_ = cmd.Wait() // how it ended is for its log
		}
		close(p.done)
	}()
	return p, <-started
}

func (p *process) ended() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// kill kills the program and its children, and waits for it.
func (p *process) kill() {
	pids := append(children(p.cmd.Process.Pid), p.cmd.Process.Pid)
	for i := len(pids) - 1; i >= 0; i-- {
		_ = syscall.Kill(pids[i], syscall.SIGKILL) // it may have ended
	}
	<-p.done
}

// signal sends a signal to the program and its children.
func (p *process) signal(sig syscall.Signal) error {
	var errs []error
	for _, pid := range append([]int{p.cmd.Process.Pid}, children(p.cmd.Process.Pid)...) {
		errs = append(errs, syscall.Kill(pid, sig))
	}
	return errors.Join(errs...)
}

func (p *process) stop() error { return p.signal(syscall.SIGSTOP) }
func (p *process) wake() error { return p.signal(syscall.SIGCONT) }

// children returns the children of a process according to /proc.
func children(pid int) (out []int) {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		text, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		_, rest, _ := strings.Cut(string(text), ") ") // after the name, which may have spaces
		f := strings.Fields(rest)
		if len(f) > 1 && f[1] == strconv.Itoa(pid) {
			if child, err := strconv.Atoi(filepath.Base(filepath.Dir(path))); err == nil {
				out = append(out, child)
			}
		}
	}
	return out
}

// servant is the user of the servers if the tests run as root, nil: the same user.
func servant() (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	var u *user.User
	var err error
	for _, name := range []string{"postgres", "mysql", "nobody"} {
		if u, err = user.Lookup(name); err == nil {
			break
		}
	}
	if err != nil {
		return nil, err
	}
	uid, err := strconv.ParseUint(u.Uid, 10, 32)
	if err != nil {
		return nil, err
	}
	gid, err := strconv.ParseUint(u.Gid, 10, 32)
	if err != nil {
		return nil, err
	}
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
}

func asUser(cmd *exec.Cmd) error {
	c, err := servant()
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: c}
	apart(cmd.SysProcAttr)
	return err
}

// give gives a directory to the servers' user.
func give(dir string) error {
	c, err := servant()
	if err != nil || c == nil {
		return err
	}
	return os.Chown(dir, int(c.Uid), int(c.Gid))
}
