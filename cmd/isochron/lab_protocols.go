package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"isochron/protocol"
	"isochron/txn"
)

func newLabProtocols() *cobra.Command {
	var asJSON, diff bool
	cmd := &cobra.Command{
		Use:   "protocols",
		Short: "Print the protocol table: what each row chooses, and what that gives",
		Long: `Protocols prints the protocol table. A row is one protocol, a column one choice;
what two protocols do alike stands in the same column with the same words.
Commit and span are bounds in wide-area round trips: of a client's commit, and of
the time for which a row can be in another transaction's way at a remote shard.
A row that can be no cluster's runs with isochron sim and isochron lab only.
Steps are those of a transaction on one shard that has written a hot row, which is
the class that each row reveals earliest. With --diff two rows are told apart, in a sentence for each choice.`,
		Example: "  isochron lab protocols\n  isochron lab protocols --json\n  isochron lab protocols --diff 2pc+2pl d2pc+2pl",
		Args: func(cmd *cobra.Command, args []string) error {
			if diff && len(args) != 2 {
				return usagef("--diff needs the names of two protocols")
			}
			if diff {
				return nil
			}
			return noArgs(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case diff:
				return protocolsDiff(cmd.OutOrStdout(), args, asJSON)
			case asJSON:
				return protocolsJSON(cmd.OutOrStdout(), protocolRows())
			}
			return protocols(cmd.OutOrStdout())
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON array and nothing else")
	cmd.Flags().BoolVar(&diff, "diff", false, "tell the two protocols named apart")
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
		found = []string{"no choice tells them apart"}
	}
	_, err := fmt.Fprintln(out, strings.Join(found, "\n"))
	return err
}

func protocols(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "name\tlike\tadmits\tarrives\treads\tsecond try\tread-only\tyields\tvalidates\treplicates\tdecides\tasked\treveals\tgives\tcommit\tspan\tcluster\tsteps\tsource\tremark")
	for _, r := range protocolRows() {
		cluster := "yes"
		if !r.Cluster {
			cluster = "no"
		}
		var steps []string
		for _, s := range r.Steps {
			steps = append(steps, string(s))
		}
		fmt.Fprintln(w, strings.Join([]string{
			r.Name, r.Base, r.Admission, r.Arrives, r.Reads, r.RetryReads, r.ReadOnly, r.Yields, r.Validates, r.Replicates, r.Decides, r.Prepares, r.Reveals,
			r.Isolation, r.Commit, r.Span, cluster, strings.Join(steps, ", "), r.Source, r.Notes,
		}, "\t"))
	}
	return w.Flush()
}
