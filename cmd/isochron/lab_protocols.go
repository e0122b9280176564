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
	"isochron/txn"
)

func newLabProtocols() *cobra.Command {
	var asJSON, diff bool
	cmd := &cobra.Command{
		Use:   "protocols [NAME]",
		Short: "Print the table of protocols, or one protocol in full",
		Long: `Protocols prints the protocols: the base, the isolation, and two bounds in wide-area
round trips: of a client's commit, and of the contention span, the time for which a row
blocks other transactions at a remote shard. A protocol that runs on sim is for isochron
sim and isochron lab only. With a NAME it prints all choices of that protocol and its
source. With --diff it prints the differences of two protocols, a sentence per choice.`,
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
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON array and nothing else")
	cmd.Flags().BoolVar(&diff, "diff", false, "print the differences of two protocols")
	return cmd
}

// protocolReport is a row of the table as it is printed.
type protocolReport struct {
	Name       string          `json:"name"`
	Base       string          `json:"like,omitempty"`
	Admission  string          `json:"admits"` // by what it is judged who may begin
	Arrives    string          `json:"arrives"`
	Reads      string          `json:"reads"`
	RetryReads string          `json:"retries"` // where the plain reads of a second try go
	ReadOnly   string          `json:"read_only"`
	Yields     string          `json:"yields"`
	Validates  string          `json:"validates"`
	Replicates string          `json:"replicates"`
	Decides    string          `json:"decides"`
	Prepares   string          `json:"asks"` // who asks participants to prepare
	Reveals    string          `json:"reveals"`
	Isolation  string          `json:"gives"`
	Commit     string          `json:"commit_round_trips"`
	Span       string          `json:"span_round_trips"`
	Cluster    bool            `json:"cluster"` // a cluster can be started with it
	Steps      []protocol.Step `json:"steps"`
	Source     string          `json:"source"`
	Notes      string          `json:"remark"`
}

// earliest is the class of transactions whose writes are revealed first: steps are told
// for it.
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
		isolation, _, _ := strings.Cut(r.Isolation, ";")
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

// protocolInFull prints one protocol: each choice, the bounds and the source.
func protocolInFull(out io.Writer, name string, asJSON bool) error {
	spec, err := protocol.ByName(name)
	if err != nil {
		return usageError{err}
	}
	rows := protocolRows()
	r := rows[slices.IndexFunc(rows, func(r protocolReport) bool { return r.Name == spec.Name })]
	if asJSON {
		return protocolsJSON(out, r)
	}
	on := "clusters, isochron sim and isochron lab"
	if !r.Cluster {
		on = "isochron sim and isochron lab only"
	}
	var steps []string
	for _, s := range r.Steps {
		steps = append(steps, string(s))
	}
	for _, line := range [][2]string{
		{"protocol", r.Name}, {"base", r.Base}, {"source", r.Source}, {"isolation", r.Isolation}, {"runs on", on},
		{"commit RTT", r.Commit + " (wide-area round trips until the client's commit returns)"},
		{"span RTT", r.Span + " (wide-area round trips for which a row blocks others at a remote shard)"},
		{"admission", r.Admission}, {"dispatch", r.Arrives}, {"plain reads", r.Reads}, {"reads of a retry", r.RetryReads},
		{"read-only commit", r.ReadOnly}, {"conflicts", r.Yields}, {"validation", r.Validates}, {"replication", r.Replicates},
		{"decision", r.Decides}, {"prepares", r.Prepares}, {"writes visible", r.Reveals}, {"steps of a commit", strings.Join(steps, ", ")}, {"notes", r.Notes},
	} {
		if line[1] == "" {
			continue
		}
		if err := field(out, line[0], line[1]); err != nil {
			return err
		}
	}
	if spec.Base == "" {
		return nil
	}
	base, err := protocol.ByName(spec.Base)
	if err != nil {
		return err
	}
	for _, d := range protocol.Diff(base, spec) {
		if err := field(out, "differs from base", d); err != nil {
			return err
		}
	}
	return nil
}

// field prints a name and a text, wrapped at listWidth.
func field(out io.Writer, name, text string) error {
	const indent = 20
	line := fmt.Sprintf("%-*s", indent-1, name)
	for _, word := range strings.Fields(text) {
		if len([]rune(line))+1+len([]rune(word)) > listWidth {
			if _, err := fmt.Fprintln(out, line); err != nil {
				return err
			}
			line = strings.Repeat(" ", indent-1)
		}
		line += " " + word
	}
	_, err := fmt.Fprintln(out, line)
	return err
}
