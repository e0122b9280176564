package process

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// Process is one that was started here, and is ended here.
type Process struct {
	cmd   *exec.Cmd
	log   string
	ended chan struct{}
}

// How long a process may take to answer for the first time, and to end by itself.
const (
	StartPatience = 2 * time.Minute
	EndPatience   = 30 * time.Second
)

// Apart keeps a terminal's Ctrl-C from a child, which its parent ends, and ends it if the parent is
// killed.
func Apart(cmd *exec.Cmd) *exec.Cmd {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
	return cmd
}

// Spawn starts a process in a directory ("": this one) whose words go to a file.
func Spawn(log, dir, name string, args ...string) (*Process, error) {
	out, err := os.OpenFile(log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer out.Close()
	p := &Process{cmd: Apart(exec.Command(name, args...)), log: log, ended: make(chan struct{})}
	p.cmd.Dir, p.cmd.Stdout, p.cmd.Stderr = dir, out, out
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		_ = p.cmd.Wait() // how it ended does not matter, only that it did
		close(p.ended)
	}()
	return p, nil
}

// Pid is its number.
func (p *Process) Pid() int { return p.cmd.Process.Pid }

// End asks the process to end, and kills it if it has not ended within EndPatience: its disk is
// then as after a crash, which suffices for another round.
func (p *Process) End(gently syscall.Signal) {
	_ = p.cmd.Process.Signal(gently) // it may have ended already
	select {
	case <-p.ended:
		return
	case <-time.After(EndPatience):
	}
	_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
	<-p.ended
	slog.Warn("it did not end when asked to, and was killed", "program", p.cmd.Path, "within", EndPatience)
}

// Await asks until something is ready, the process has ended, or StartPatience is over.
func (p *Process) Await(ctx context.Context, what string, ready func(context.Context) error) error {
	var err error
	for deadline := time.Now().Add(StartPatience); time.Now().Before(deadline); {
		if err = ready(ctx); err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-p.ended:
			return fmt.Errorf("%s ended while it was starting; %s", what, p.Tail())
		case <-time.After(100 * time.Millisecond):
		}
	}
	return fmt.Errorf("%s is not ready after %v: %w; %s", what, StartPatience, err, p.Tail())
}

// Tail returns the end of its output.
func (p *Process) Tail() string {
	b, err := os.ReadFile(p.log)
	if err != nil {
		return err.Error()
	}
	return "its last words: " + LastLines(b)
}

// LastLines is the end of a text, in one line of at most 1000 bytes.
func LastLines(b []byte) string {
	b = b[max(0, len(b)-1000):]
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	return strings.Join(lines[max(0, len(lines)-5):], " / ")
}
