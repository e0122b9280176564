package main

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"isochron/internal/lint"
)

// The help of every command that help shows has an example, no line of more than helpWidth columns, and
// none of the words that are to be written in the field's.
func TestHelp(t *testing.T) {
	words, err := lint.Words()
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	eachCommand(newRoot(), func(cmd *cobra.Command) {
		if cmd.Hidden {
			return
		}
		for _, wrong := range wrongHelp(cmd, words) {
			t.Errorf("%s: %s", cmd.CommandPath(), wrong)
		}
		checked++
	})
	if checked < 35 {
		t.Errorf("only %d commands were found", checked)
	}
}

// wrongHelp lists what the help of a command does wrong.
func wrongHelp(cmd *cobra.Command, words []lint.Word) (wrong []string) {
	var text strings.Builder
	cmd.SetOut(&text)
	cmd.InitDefaultHelpFlag()
	if err := cmd.Help(); err != nil {
		return []string{err.Error()}
	}
	if cmd.Example == "" {
		wrong = append(wrong, "the help has no example")
	}
	for _, line := range strings.Split(text.String(), "\n") {
		if n := len([]rune(line)); n > helpWidth {
			wrong = append(wrong, "over 100 columns: "+line)
		}
	}
	for _, w := range lint.PhrasesIn(text.String(), words) {
		wrong = append(wrong, "the help has "+w)
	}
	return wrong
}

// The checks of TestHelp find what they are for.
func TestWrongHelp(t *testing.T) {
	words, err := lint.Words()
	if err != nil {
		t.Fatal(err)
	}
	good := cobra.Command{Use: "x", Short: "Print", Example: "  x", Run: func(*cobra.Command, []string) {}}
	for want, change := range map[string]func(*cobra.Command){
		"":           func(*cobra.Command) {},
		"no example": func(c *cobra.Command) { c.Example = "" },
		"over 100":   func(c *cobra.Command) { c.Long = strings.Repeat("x", helpWidth+1) },
		`"whoever"`:  func(c *cobra.Command) { c.Long = "Whoever waits" },
		`"goes on"`:  func(c *cobra.Command) { c.Flags().Bool("y", false, "it goes\non") },
	} {
		cmd := good
		change(&cmd)
		wrong := strings.Join(wrongHelp(&cmd, words), "\n")
		if (want == "") != (wrong == "") || !strings.Contains(wrong, want) {
			t.Errorf("want %q, found %q", want, wrong)
		}
	}
}
