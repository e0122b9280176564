package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"isochron/bench/process"
)

// errLimit is the end of a command that took too long.
var errLimit = errors.New("it did not end in time")

// output runs a command to its end, or until limit.
func output(ctx context.Context, limit time.Duration, env []string, name string, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cmd := process.Apart(exec.CommandContext(ctx, name, args...))
	cmd.Env = append(os.Environ(), env...)
	cmd.WaitDelay = process.EndPatience
	var out, words bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &words
	err := cmd.Run()
	if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		err = fmt.Errorf("%w, within %v", errLimit, limit)
	}
	if err != nil {
		err = fmt.Errorf("%s: %w: %s", filepath.Base(name), err, process.LastLines(append(words.Bytes(), tailOf(out.Bytes())...)))
	}
	return out.Bytes(), err
}

// tailOf is the end of a long text.
func tailOf(b []byte) []byte { return b[max(0, len(b)-400):] }
