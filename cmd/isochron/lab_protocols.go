package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"isochron/protocol"
	"isochron/sim"
	"isochron/txn"
)

func newLabProtocols() *cobra.Command {
	var asJSON, diff bool
	cmd := &cobra.Command{
		Use:   "protocols [NAME]",
		Short: "Print the table of protocols, or one protocol in full",
		Long: `Prints the protocols, one a line: the base, the isolation, and two bounds in wide-area
round trips: of a client's commit, and of the contention span, the time for which a row
blocks other transactions at a remote shard. A protocol that runs on sim is for isochron
sim and isochron lab only.

With NAME it prints one protocol in full: each choice with its meaning, cost and source,
and the stories, message by message, that run under the protocol.
With --diff it prints the differences of two protocols, one choice a line.`,
		Example: "  isochron lab protocols\n  isochron lab protocols bonspiel\n  isochron lab protocols --json\n  isochron lab protocols --diff 2pc+2pl d2pc+2pl",
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case diff && len(args) != 2:
				return usagef("--diff needs the names of two protocols")
			case !diff && len(args) > 1:
				return noArgs(cmd, args[1:])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case diff:
				return protocolsDiff(cmd.OutOrStdout(), args, asJSON)
			case len(args) == 1:
				return protocolInFull(cmd.OutOrStdout(), args[0], asJSON)
			case asJSON:
				return protocolsJSON(cmd.OutOrStdout(), protocolRows())
			}
			return protocols(cmd.OutOrStdout())
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON array, or with NAME one object, and nothing else")
	cmd.Flags().BoolVar(&diff, "diff", false, "print the differences of two protocols, named as arguments")
	return cmd
}

// protocolReport is a row of the table as it is printed.
type protocolReport struct {
	Name       string          `json:"name"`
	Base       string          `json:"like,omitempty"`
	Admission  string          `json:"admits"` // the admission policy
	Arrives    string          `json:"arrives"`
	Reads      string          `json:"reads"`
	RetryReads string          `json:"retries"` // where the plain reads of a second try go
	ReadOnly   string          `json:"read_only"`
	Yields     string          `json:"yields"`
	Validates  string          `json:"validates"`
	Replicates string          `json:"replicates"`
	Decides    string          `json:"decides"`
	Prepares   string          `json:"asks"` // how participants are asked to prepare
	Reveals    string          `json:"reveals"`
	Isolation  string          `json:"gives"`
	Commit     string          `json:"commit_round_trips"`
	Span       string          `json:"span_round_trips"`
	Cluster    bool            `json:"cluster"` // a cluster can be started with it
	Steps      []protocol.Step `json:"steps"`
	Source     string          `json:"source"`
	Notes      string          `json:"remark"`
	// Of one protocol in full.
	Choices    []protocol.Choice `json:"choices,omitempty"`
	Stories    []string          `json:"stories,omitempty"`    // files below the root of the repository
	StoriesRun string            `json:"stories_of,omitempty"` // the protocol that they run under
}

// earliest is the class of transactions whose writes are revealed first: the steps are those of this
// class.
var earliest = txn.Class{Participants: 1, Hot: true}

func protocolRows() (rows []protocolReport) {
	for _, r := range protocol.Table() {
		rows = append(rows, protocolReport{
			Name: r.Name, Base: r.Base, Admission: r.Admission.String(), Arrives: r.Arrive.String(), Reads: r.Reads.String(), RetryReads: r.RetryReads.String(), ReadOnly: r.ReadOnly.String(), Yields: r.Yield.Name,
			Validates: r.Validates.String(), Replicates: r.Replicates.String(), Decides: r.Decide.String(), Prepares: r.Prepares.String(), Reveals: r.Reveal.String(),
			Isolation: r.Isolation.String(), Commit: r.CommitRTT, Span: r.SpanRTT, Cluster: r.RunsOn == protocol.InClusters,
			Steps: r.Steps(earliest), Source: r.Source, Notes: r.Notes,
		})
	}
	return rows
}

func protocolsJSON(out io.Writer, what any) error {
	enc := json.NewEncoder(out)
	enc.SetIndent("", "  ")
	return enc.Encode(what)
}

// protocolsDiff prints what two rows choose differently.
func protocolsDiff(out io.Writer, names []string, asJSON bool) error {
	var rows [2]protocol.Spec
	for i, name := range names {
		var err error
		if rows[i], err = protocol.ByName(name); err != nil {
			return usageError{err}
		}
	}
	found := protocol.Diff(rows[0], rows[1])
	if asJSON {
		if found == nil {
			found = []string{}
		}
		return protocolsJSON(out, found)
	}
	if len(found) == 0 {
		found = []string{"the choices are the same"}
	}
	_, err := fmt.Fprintln(out, strings.Join(found, "\n"))
	return err
}

// listWidth is the number of columns that the lists of lab fit in.
const listWidth = 120

// protocols prints the table: a line per protocol. lab protocols NAME prints a protocol in full.
func protocols(out io.Writer) error {
	var text strings.Builder
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "name\tbase\tisolation\tcommit RTT\tspan RTT\truns on")
	for _, r := range protocolRows() {
		on := "cluster"
		if !r.Cluster {
			on = "sim"
		}
		isolation, _, _ := strings.Cut(r.Isolation, ",")
		isolation, _, _ = strings.Cut(isolation, " over ")
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", r.Name, r.Base, isolation, shorten(r.Commit, 16), shorten(r.Span, 16), on)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := io.WriteString(out, text.String())
	return err
}

// shorten returns at most n characters of a text, the last three being "..." if it is longer.
func shorten(text string, n int) string {
	if r := []rune(text); len(r) > n {
		return strings.TrimRight(string(r[:n-3]), " ,;:") + "..."
	}
	return text
}

// protocolInFull prints one protocol: the bounds, each choice with its texts, the steps and the stories.
func protocolInFull(out io.Writer, name string, asJSON bool) error {
	spec, err := protocol.ByName(name)
	if err != nil {
		return usageError{err}
	}
	rows := protocolRows()
	r := rows[slices.IndexFunc(rows, func(r protocolReport) bool { return r.Name == spec.Name })]
	r.Choices = spec.Choices()
	r.StoriesRun, r.Stories = sim.Stories(spec)
	if asJSON {
		return protocolsJSON(out, r)
	}
	for _, f := range [][2]string{
		{"protocol", r.Name}, {"base", r.Base}, {"source", r.Source}, {"notes", r.Notes},
		{"commit RTT", r.Commit + " (wide-area round trips until the client's commit returns)"},
		{"span RTT", r.Span + " (wide-area round trips for which a row blocks others at a remote shard)"},
	} {
		field(out, f[0], f[1])
	}
	changed, err := changedChoices(spec)
	if err != nil {
		return err
	}
	for _, c := range r.Choices {
		fmt.Fprintln(out)
		value := c.Value
		if changed[c.Field] {
			value += " (not as " + r.Base + ")"
		}
		field(out, c.Label, value)
		field(out, "  meaning", c.Meaning)
		field(out, "  cost", c.Cost)
		field(out, "  source", c.Source)
	}
	var steps []string
	for _, s := range r.Steps {
		steps = append(steps, string(s))
	}
	fmt.Fprintln(out)
	field(out, "steps of a commit", strings.Join(steps, ", "))
	label := "stories"
	if r.StoriesRun != r.Name {
		label = "stories of " + r.StoriesRun
	}
	for i, path := range r.Stories {
		if i > 0 {
			label = ""
		}
		field(out, label, path)
	}
	return nil
}

// changedChoices returns the fields in which a protocol differs from its base.
func changedChoices(spec protocol.Spec) (map[string]bool, error) {
	if spec.Base == "" {
		return nil, nil
	}
	base, err := protocol.ByName(spec.Base)
	if err != nil {
		return nil, err
	}
	changed := map[string]bool{}
	for i, c := range base.Choices() {
		changed[c.Field] = c.Value != spec.Choices()[i].Value
	}
	return changed, nil
}

// field prints a name and a text, wrapped at listWidth; nothing if there is no text.
func field(out io.Writer, name, text string) {
	const indent = 19
	line := fmt.Sprintf("%-*s", indent, name)
	for i, word := range strings.Fields(text) {
		if i > 0 && len([]rune(line))+1+len([]rune(word)) > listWidth {
			fmt.Fprintln(out, line)
			line = strings.Repeat(" ", indent)
		}
		line += " " + word
	}
	if text != "" {
		fmt.Fprintln(out, line)
	}
}
