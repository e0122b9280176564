package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"isochron/history"
)

// checkReport is a judged history as machines read it.
type checkReport struct {
	Workload           string        `json:"workload"`
	Records            int           `json:"records"`
	Committed          int           `json:"committed"`
	Serializable       bool          `json:"serializable"`
	StrictSerializable bool          `json:"strict_serializable"`
	Anomalies          []checkedFlaw `json:"anomalies"`
}

type checkedFlaw struct {
	Name       string `json:"name"`
	StrictOnly bool   `json:"strict_only"` // breaks the order of real time, not serializability
	Detail     string `json:"detail"`
}

func newCheck() *cobra.Command {
	var asJSON bool
	var export string
	cmd := &cobra.Command{
		Use:   "check FILE",
		Short: "Check whether a recorded history is serializable",
		Long: `Check reads a recorded history and decides whether it is serializable. Histories are of
lists (isochron workload list-append run --history FILE) or of registers. If a history is
not serializable it prints a cycle of transactions that depend on each other.

Exit codes: 0 serializable, 1 not serializable, 2 the file is missing, damaged or cut short,
or wrong usage.`,
		Example: `  isochron workload list-append run --dsn 127.0.0.1:4401 --history run.jsonl
  isochron check run.jsonl
  isochron check run.jsonl --export run.edn`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("check needs one file, such as: isochron check run.jsonl")
			}
			return runCheck(args[0], export, asJSON, cmd.OutOrStdout())
		},
	}
	cmd.Flags().StringVar(&export, "export", "", "also write the history to this file as Jepsen operations in EDN, for Elle")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object and nothing else")
	return cmd
}

func runCheck(path, export string, asJSON bool, out io.Writer) error {
	file, err := os.Open(path)
	if err != nil {
		return usageError{err}
	}
	h, workload, err := history.Load(file)
	if err = errors.Join(err, file.Close()); err != nil {
		return usagef("%s: %w", path, err)
	}
	if export != "" {
		if err := exportEDN(export, h); err != nil {
			return fmt.Errorf("--export: %w", err)
		}
	}
	judged, err := history.Check(h)
	if err != nil {
		return usagef("%s: %w", path, err)
	}
	report := checkReport{Workload: workload, Records: len(h.Records), Committed: judged.Checked,
		Serializable: judged.Serializable(), StrictSerializable: judged.StrictSerializable(), Anomalies: []checkedFlaw{}}
	for _, v := range judged.Violations {
		report.Anomalies = append(report.Anomalies, checkedFlaw{v.Name, v.StrictOnly, v.Detail})
	}
	if asJSON {
		err = json.NewEncoder(out).Encode(report)
	} else {
		report.print(out)
	}
	if err == nil && !report.Serializable {
		err = fmt.Errorf("%s is not serializable", path)
	}
	return err
}

func exportEDN(path string, h *history.History) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(history.ExportEDN(file, h), file.Close())
}

func (r checkReport) print(out io.Writer) {
	for _, a := range r.Anomalies {
		fmt.Fprintf(out, "%s: %s\n", a.Name, a.Detail)
	}
	word := "serializable, and in the order of real time too"
	switch {
	case !r.Serializable:
		word = "NOT serializable"
	case !r.StrictSerializable:
		word = "serializable, though not in the order of real time"
	}
	fmt.Fprintf(out, "%s: %d tries, %d committed: %s.\n", r.Workload, r.Records, r.Committed, word)
}
