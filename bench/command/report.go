package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// Print writes lines of progress, and nothing if it should be quiet.
func Print(words io.Writer, quiet bool) func(format string, args ...any) {
	if quiet {
		return func(string, ...any) {}
	}
	return func(format string, args ...any) { fmt.Fprintf(words, format+"\n", args...) }
}

// PrintWithTime writes lines of progress, each with the seconds since the program began.
func PrintWithTime(words io.Writer) func(format string, args ...any) {
	begun := time.Now()
	return func(format string, args ...any) {
		fmt.Fprintf(words, "%4.0fs  "+format+"\n", append([]any{time.Since(begun).Seconds()}, args...)...)
	}
}

// Report writes the result of a run: a JSON object in a line, or what its Print has for people.
func Report(out io.Writer, asJSON bool, report interface{ Print(io.Writer) }) error {
	if asJSON {
		return json.NewEncoder(out).Encode(report)
	}
	report.Print(out)
	return nil
}

// Scratch is the directory of one run: its data, and the logs of its processes.
type Scratch struct {
	Dir  string
	keep bool
}

// NewScratch makes the directory of a run of the program named so.
func NewScratch(name string) (*Scratch, error) {
	dir, err := os.MkdirTemp("", "isochron-"+name+"-")
	return &Scratch{Dir: dir}, err
}

// Keep makes the directory outlive an interruption too, for inspection.
func (s *Scratch) Keep() { s.keep = true }

// Leave removes the directory if the run succeeded or was interrupted, as its context reports;
// otherwise the error names it. It is called once, when everything that works in it has ended.
func (s *Scratch) Leave(ctx context.Context, err error) error {
	if err == nil || ctx.Err() != nil && !s.keep {
		return errors.Join(err, os.RemoveAll(s.Dir))
	}
	return fmt.Errorf("%w (logs and data are in %s)", err, s.Dir)
}
