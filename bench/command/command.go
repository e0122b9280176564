package command

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
)

// The exit codes.
const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
)

// Func is a program: its arguments without its name, where its report goes, and where progress does.
type Func func(ctx context.Context, args []string, out, words io.Writer) error

// Main runs a program as this process, and ends it. Its errors are preceded by its name.
func Main(name string, program Func) {
	ctx, restore := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, restore) // once a signal has come, the next kills
	os.Exit(exit(ctx, name, program, os.Args[1:], os.Stdout, os.Stderr))
}

// exit is Main but for the process around it.
func exit(ctx context.Context, name string, program Func, args []string, out, words io.Writer) int {
	err := program(ctx, args, out, words)
	if err == nil || errors.Is(err, flag.ErrHelp) {
		return exitOK
	}
	fmt.Fprintf(words, "%s: %v\n", name, err)
	var usage usageError
	if errors.As(err, &usage) {
		return exitUsage
	}
	return exitFailed
}

// usageError is a mistake in a request.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// Usage marks an error, if it is one, as a mistake in the request.
func Usage(err error) error {
	if err == nil {
		return nil
	}
	return usageError{err}
}

// Usagef returns a usage error.
func Usagef(format string, args ...any) error { return Usage(fmt.Errorf(format, args...)) }

// Flags are a program's flags. Usage is the text that --help prints above their list: the purpose
// of the program, and examples.
type Flags struct {
	*flag.FlagSet
	usage string
}

// NewFlags has no flags yet.
func NewFlags(name, usage string) *Flags {
	f := &Flags{flag.NewFlagSet(name, flag.ContinueOnError), usage}
	f.SetOutput(io.Discard) // a mistake is reported once, by Main
	return f
}

// Parse reads arguments that are flags alone. It returns flag.ErrHelp when it was asked for help, and
// has written it; any other error is a mistake in the arguments.
func (f *Flags) Parse(args []string, out io.Writer) error {
	err := f.ParseSome(args, out)
	if err == nil && f.NArg() > 0 {
		return Usagef("%q is no flag; see --help", f.Arg(0))
	}
	return err
}

// ParseSome reads the flags that stand before other arguments, which Args then has; else as Parse.
func (f *Flags) ParseSome(args []string, out io.Writer) error {
	err := f.FlagSet.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprintf(out, "%s\n\n", strings.TrimSpace(f.usage))
		f.SetOutput(out)
		f.PrintDefaults()
		return err
	}
	if err != nil {
		return Usagef("%w; see --help", err)
	}
	return nil
}
