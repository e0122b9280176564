package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"isochron/server"
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

// usageError is a mistake in a request.
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
		Long: `Isochron is a geo-distributed, serializable SQL database that speaks MySQL's protocol.
It holds locks for no longer than the network forces it to.

Exit codes of all commands: 0 success, 1 the command ran and failed, 2 wrong usage.`,
		Example: `  isochron demo --for 30s              run a cluster of five regions in this process for 30 seconds
  isochron help lab run                show the help of a command
  source <(isochron completion bash)   complete commands and flags with Tab, in this shell`,
		Version:       versionLine(server.BuildOf()),
		SilenceErrors: true, // run prints them, once
		SilenceUsage:  true,
		Args:          noArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetUsageTemplate(wrapFlags(root.UsageTemplate()))
	root.SetHelpCommand(newHelp())
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return inPlainWords(cmd, err)
	})
	root.AddCommand(newInit(), newStart(), newAgent(), newSource(), newResolve(), newStatus(), newLinks(), newAddNode(), newReplaceReplica(), newRebuild(), newVerify(), newRemoveNode(),
		newTransferLeader(), newDrain(), newHotRows(), newSetProtocol(), newAdmission(), newBackup(), newRestore(), newDemo(), newWorkload(), newCheck(), newSim(), newLab(), newPrivileges(), newRootPassword(), newVersion())
	checkCompletion(root)
	acceptOldNames(root)
	return root
}

// helpWidth is the number of columns that help fits in.
const helpWidth = 100

// wrapFlags returns a usage template of the library that wraps the descriptions of flags at helpWidth.
func wrapFlags(template string) string {
	return strings.ReplaceAll(template, ".FlagUsages ", fmt.Sprintf(".FlagUsagesWrapped %d ", helpWidth))
}

// newHelp replaces the library's help command, which prints the help of isochron and exits with 0 if
// its argument is not a command.
func newHelp() *cobra.Command {
	return &cobra.Command{
		Use:     "help [COMMAND...]",
		Short:   "Show the help of a command",
		Example: "  isochron help demo\n  isochron help lab run",
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			about, _ := subcommand(cmd.Root(), args)
			return commandNames(about), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			about, rest := subcommand(cmd.Root(), args)
			if err := noArgs(about, rest); err != nil {
				return err
			}
			about.InitDefaultHelpFlag() // the library adds both flags to a command only when that is executed
			about.InitDefaultVersionFlag()
			return about.Help()
		},
	}
}

// subcommand returns the command below cmd that args name, and the args that name none.
func subcommand(cmd *cobra.Command, args []string) (*cobra.Command, []string) {
	for len(args) > 0 {
		next := slices.IndexFunc(cmd.Commands(), func(c *cobra.Command) bool { return c.Name() == args[0] })
		if next < 0 {
			break
		}
		cmd, args = cmd.Commands()[next], args[1:]
	}
	return cmd, args
}

// checkCompletion has the library's completion command refuse an unknown shell like any other mistake
// of usage: one line, exit code 2.
func checkCompletion(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if c.Name() != "completion" {
			continue
		}
		c.Short = "Print a script that completes commands and flags in a shell"
		c.Example = `  source <(isochron completion bash)                           in this shell
  isochron completion bash > /etc/bash_completion.d/isochron   in new shells of all users
  isochron completion zsh > "${fpath[1]}/_isochron"
  isochron completion fish > ~/.config/fish/completions/isochron.fish`
		c.Args = noArgs
		c.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
		for _, shell := range c.Commands() {
			shell.Args = noArgs
			shell.Example = "  isochron completion " + shell.Name()
		}
	}
}

// noArgs refuses arguments that are no flags, among them commands that do not exist.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usagef("%q is not known to %s%s (see %s --help)", args[0], cmd.CommandPath(), meant(args[0], commandNames(cmd)), cmd.CommandPath())
	}
	return nil
}
