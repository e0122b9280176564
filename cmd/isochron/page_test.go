package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"isochron/test/pages"
)

// The page of flags has every command and every flag that help shows.
func TestPageOfFlags(t *testing.T) {
	var b strings.Builder
	b.WriteString(`# Commands and flags

Every command of ` + "`isochron`" + ` with its flags; ` + "`isochron help COMMAND`" + ` has more about each.
`)
	writeCommand(&b, newRoot())
	pages.Hold(t, "flags.md", b.String())
}

func writeCommand(b *strings.Builder, c *cobra.Command) {
	if c.Hidden || c.Name() == "completion" {
		return
	}
	if c.HasParent() {
		fmt.Fprintf(b, "\n## %s\n\n%s.\n", c.CommandPath(), strings.TrimSuffix(c.Short, "."))
	}
	head := "\n| flag | default | meaning |\n|---|---|---|\n"
	c.NonInheritedFlags().VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" || f.Name == "version" {
			return
		}
		argument, usage := pflag.UnquoteUsage(f)
		if argument != "" {
			argument = " " + argument
		}
		value := ""
		if f.DefValue != "" && f.DefValue != "[]" {
			value = "`" + f.DefValue + "`"
		}
		fmt.Fprintf(b, "%s| `--%s%s` | %s | %s |\n", head, f.Name, argument, pages.Cell(value), pages.Cell(usage))
		head = ""
	})
	for _, sub := range c.Commands() {
		writeCommand(b, sub)
	}
}
