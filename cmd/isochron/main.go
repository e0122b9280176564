package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
)

// The exit codes.
const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
)

func main() {
	// The first signal asks for a graceful end; once it has come, the next kills.
	ctx, restore := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, restore)
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// usageError is a mistake in what was asked for.
type usageError struct{ error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// run is the whole command but for the process around it.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	root := newRoot()
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return exitOK
	}
	fmt.Fprintf(stderr, "isochron: %v\n", err)
	var usage usageError
	if errors.As(err, &usage) {
		return exitUsage
	}
	return exitFailed
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "isochron",
		Short: "A geo-distributed, serializable SQL database",
		Long: `Isochron is a geo-distributed, serializable SQL database that speaks MySQL.
Its one aim is that no row is held longer than the network forces it to be.`,
		Example:       "  isochron demo --for 30s",
		SilenceErrors: true, // run prints them, once
		SilenceUsage:  true,
		Args:          noArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return inPlainWords(cmd, err)
	})
	root.AddCommand(newInit(), newStart(), newAgent(), newSource(), newResolve(), newStatus(), newLinks(), newAddNode(), newReplaceReplica(), newRebuild(), newVerify(), newRemoveNode(),
		newTransferLeader(), newDrain(), newHotRows(), newSetProtocol(), newAdmission(), newBackup(), newRestore(), newDemo(), newWorkload(), newCheck(), newSim(), newLab(), newPrivileges(), newRootPassword(), newVersion())
	return root
}

// noArgs refuses arguments that are no flags, among them commands that do not exist.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usagef("%q is not known to %s%s (see %s --help)", args[0], cmd.CommandPath(), meant(args[0], commandNames(cmd)), cmd.CommandPath())
	}
	return nil
}
