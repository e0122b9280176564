package main

import (
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"isochron/protocol"
)

func newLabProtocols() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "protocols",
		Short: "Print the protocol table: what each row chooses, and what that gives",
		Long: `Protocols prints the protocol table. A row is one protocol, a column one choice;
what two protocols do alike stands in the same column with the same words.
Commit and span are bounds in wide-area round trips: of a client's commit, and of
the time for which a row can be in another transaction's way at a remote shard.
A row that can be no cluster's runs with isochron sim and isochron lab only.`,
		Example: "  isochron lab protocols\n  isochron lab protocols --json",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if asJSON {
				return protocolsJSON(cmd.OutOrStdout())
			}
			return protocols(cmd.OutOrStdout())
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON array and nothing else")
	return cmd
}

// protocolRow is a row of the table as it is printed.
type protocolRow struct {
	Name       string          `json:"name"`
	Reads      string          `json:"reads"`
	ReadOnly   string          `json:"read_only"`
	Yields     string          `json:"yields"`
	Decides    string          `json:"decides"`
	Reveals    string          `json:"reveals"`
	Validates  string          `json:"validates"`
	Replicates string          `json:"replicates"`
	Gives      string          `json:"gives"`
	Commit     string          `json:"commit_round_trips"`
	Span       string          `json:"span_round_trips"`
	Cluster    bool            `json:"cluster"` // a cluster can be started with it
	Remark     string          `json:"remark"`
	Source     string          `json:"source"`
	Steps      []protocol.Step `json:"steps"`
}

func protocolRows() (rows []protocolRow) {
	for _, r := range protocol.Table() {
		rows = append(rows, protocolRow{
			Name: r.Name, Reads: r.Reads.String(), ReadOnly: r.ReadOnly.String(), Yields: r.Yield.Name, Decides: r.Decide.String(), Reveals: r.Reveal.String(),
			Validates: r.Validates, Replicates: r.Replicates, Gives: r.Gives, Commit: r.CommitRTT, Span: r.SpanRTT,
			Cluster: !r.Laboratory, Remark: r.Remark, Source: r.Source, Steps: r.Steps,
		})
	}
	return rows
}

func protocolsJSON(out io.Writer) error {
	enc := json.NewEncoder(out)
	enc.SetIndent("", "  ")
	return enc.Encode(protocolRows())
}

func protocols(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "name\treads\tyields\tdecides\treveals\tvalidates\treplicates\tgives\tcommit\tspan\tcluster\tremark")
	for _, r := range protocolRows() {
		cluster := "yes"
		if !r.Cluster {
			cluster = "no"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", r.Name, r.Reads, r.Yields, r.Decides, r.Reveals,
			r.Validates, r.Replicates, r.Gives, r.Commit, r.Span, cluster, r.Remark)
	}
	return w.Flush()
}
