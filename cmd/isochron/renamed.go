package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"isochron/internal/renamed"
)

// acceptOldNames has the commands below root accept the old names of their flags, and root the old
// names of commands, for one release. The use of an old name prints one line on stderr.
func acceptOldNames(root *cobra.Command) {
	for _, n := range renamed.Names {
		if n.Kind == renamed.Command {
			addOldCommand(root, n)
		}
	}
	eachCommand(root, func(cmd *cobra.Command) {
		if names := renamed.Of(renamed.Flag, scopeOf(cmd)); len(names) > 0 {
			acceptOldFlags(cmd, names)
		}
	})
}

// eachCommand calls f for a command and all commands below it.
func eachCommand(cmd *cobra.Command, f func(*cobra.Command)) {
	f(cmd)
	for _, c := range cmd.Commands() {
		eachCommand(c, f)
	}
}

// scopeOf returns a command with its parents, but for isochron.
func scopeOf(cmd *cobra.Command) string {
	_, scope, _ := strings.Cut(cmd.CommandPath(), " ")
	return scope
}

// acceptOldFlags makes old names other spellings of the flags: help and errors show the new name.
func acceptOldFlags(cmd *cobra.Command, names map[string]string) {
	before, noticed := cmd.Flags().GetNormalizeFunc(), map[string]bool{}
	cmd.Flags().SetNormalizeFunc(func(f *pflag.FlagSet, name string) pflag.NormalizedName {
		if to := names[name]; to != "" {
			if !noticed[name] {
				noticed[name] = true
				deprecated(cmd, "--"+name, "--"+to)
			}
			name = to
		}
		return before(f, name)
	})
}

// addOldCommand adds a hidden copy of a command under its old name.
func addOldCommand(root *cobra.Command, n renamed.Name) {
	now, rest := subcommand(root, strings.Fields(n.New))
	if len(rest) > 0 {
		panic("there is no command " + n.New)
	}
	old := *now
	old.Use, old.Hidden = n.Old[strings.LastIndexByte(n.Old, ' ')+1:], true
	old.PreRun = func(cmd *cobra.Command, _ []string) {
		deprecated(cmd, cmd.CommandPath(), now.CommandPath())
	}
	now.Parent().AddCommand(&old)
}

// deprecated prints the notice that an old name is used.
func deprecated(cmd *cobra.Command, old, now string) {
	fmt.Fprintf(cmd.ErrOrStderr(), "isochron: %s is deprecated, use %s\n", old, now)
}
