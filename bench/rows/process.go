package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// process is one that was started here, and is ended here.
type process struct {
	cmd   *exec.Cmd
	log   string
	ended chan struct{}
}

// endPatience is how long a process may take to end by itself.
const endPatience = 30 * time.Second

// apart keeps a terminal's Ctrl-C from a child, which is told by its parent, and
// has it end if the parent is killed.
func apart(cmd *exec.Cmd) *exec.Cmd {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
	return cmd
}

// spawn starts a process whose words go to a file.
func spawn(log string, name string, args ...string) (*process, error) {
	out, err := os.OpenFile(log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer out.Close()
	p := &process{cmd: apart(exec.Command(name, args...)), log: log, ended: make(chan struct{})}
	p.cmd.Stdout, p.cmd.Stderr = out, out
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		_ = p.cmd.Wait() // how it ended does not matter, only that it did
		close(p.ended)
	}()
	return p, nil
}

// end ends the process, by force if it must.
func (p *process) end(gently syscall.Signal) error {
	_ = p.cmd.Process.Signal(gently) // it may have ended already
	select {
	case <-p.ended:
		return nil
	case <-time.After(endPatience):
	}
	_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
	<-p.ended
	slog.Warn("it did not end when it was told to, and was killed", "program", p.cmd.Path, "within", endPatience)
	return nil // what it has on disk is what a crash leaves, and good enough for another round
}

// tail is the last of what it said.
func (p *process) tail() string {
	b, err := os.ReadFile(p.log)
	if err != nil {
		return err.Error()
	}
	return "its last words: " + lastLines(b)
}

func lastLines(b []byte) string {
	b = b[max(0, len(b)-1000):]
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	return strings.Join(lines[max(0, len(lines)-5):], " / ")
}

// errLimit is the end of a command that took too long.
var errLimit = errors.New("it did not end in time")

// output runs a command to its end, or until limit.
func output(ctx context.Context, limit time.Duration, env []string, name string, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cmd := apart(exec.CommandContext(ctx, name, args...))
	cmd.Env = append(os.Environ(), env...)
	cmd.WaitDelay = endPatience
	var out, words bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &words
	err := cmd.Run()
	if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		err = fmt.Errorf("%w, within %v", errLimit, limit)
	}
	if err != nil {
		err = fmt.Errorf("%s: %w: %s", filepath.Base(name), err, lastLines(append(words.Bytes(), tailOf(out.Bytes())...)))
	}
	return out.Bytes(), err
}

// tailOf is the end of a long text.
func tailOf(b []byte) []byte { return b[max(0, len(b)-400):] }

// await asks until something is ready, the process has ended, or a minute is over.
func (p *process) await(ctx context.Context, what string, ready func(context.Context) error) error {
	var err error
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); {
		if err = ready(ctx); err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-p.ended:
			return fmt.Errorf("%s ended while it was starting; %s", what, p.tail())
		case <-time.After(100 * time.Millisecond):
		}
	}
	return fmt.Errorf("%s is not ready after a minute: %w; %s", what, err, p.tail())
}
