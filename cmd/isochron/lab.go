package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"isochron/lab"
	figures "isochron/lab/figure"
)

func newLab() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "lab",
		Short: "Reproduce the figures of papers in virtual time",
		Long: `Lab compares protocols in virtual time, as their papers do: it runs the experiments of a
figure, draws the figure and checks the paper's claims against the results.`,
		Example: "  isochron lab list\n  isochron lab run d2pc/fig5 --quick",
		Args:    noArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newLabList(), newLabRun(), newLabProtocols(), newLabSync(), newLabTables())
	return cmd
}

func newLabList() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List the figures",
		Example: "  isochron lab list --json",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if asJSON {
				return listFiguresJSON(cmd.OutOrStdout())
			}
			return listFigures(cmd.OutOrStdout())
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON array and nothing else")
	return cmd
}

func listFigures(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "figure\tparameter\tprotocols\ttitle")
	for _, f := range figures.All() {
		title := f.Title
		if len(f.Missing()) > 0 {
			title = "(not in this build) " + title
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", f.Name, shorten(f.Axis.Label, 24), shorten(strings.Join(f.Protocols, " "), 24), shorten(title, 36))
	}
	return w.Flush()
}

func listFiguresJSON(out io.Writer) error {
	type listed struct {
		Figure    string   `json:"figure"`
		Title     string   `json:"title"`
		Source    string   `json:"source"`
		Parameter string   `json:"parameter"`
		Protocols []string `json:"protocols"`
		Missing   []string `json:"missing"`
		Claims    int      `json:"claims"`
	}
	var all []listed
	for _, f := range figures.All() {
		all = append(all, listed{f.Name, f.Title, f.Source, f.Axis.Label, f.Protocols, append([]string{}, f.Missing()...), len(f.Claims)})
	}
	return json.NewEncoder(out).Encode(all)
}

type labFlags struct {
	out      string
	record   string
	quick    bool
	json     bool
	seed     uint64
	parallel int
}

func newLabRun() *cobra.Command {
	var f labFlags
	cmd := &cobra.Command{
		Use:   "run FIGURE...",
		Short: "Run the experiments of figures, draw them and check the papers' claims",
		Long: `Run runs every experiment of a figure, in parallel. It writes the results (JSON) and the
picture (SVG and PNG) to a directory, and prints each claim of the paper with the measured
value: with the default costs of CPU and disk, with CPU costs halved and doubled, and with
other disks. Several figures run one after the other; common experiments run once.

It exits with 1 if the history of an experiment is not serializable. A claim that is missed,
exceeded or has no number is printed as such and is no failure.`,
		Example: "  isochron lab run d2pc/fig5 --quick\n  isochron lab run d2pc/fig6 --out figures --parallel 1\n  isochron lab run bonspiel/fig9 bonspiel/fig11",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("lab run takes the names of figures; lab list has them (see %s --help)", cmd.CommandPath())
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.run(cmd.Context(), args, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	cmd.Flags().StringVar(&f.out, "out", "figures", "directory for results and pictures; it is created if needed")
	cmd.Flags().StringVar(&f.record, "record", "", "directory in which to keep the record of a full run and its picture, for isochron lab tables")
	cmd.Flags().BoolVar(&f.quick, "quick", false, "run fewer and shorter experiments, for some seconds")
	cmd.Flags().BoolVar(&f.json, "json", false, "print one JSON object per figure, each on a line, and nothing else")
	cmd.Flags().Uint64Var(&f.seed, "seed", 1, "seed of every experiment")
	cmd.Flags().IntVar(&f.parallel, "parallel", 0, "number of experiments that run in parallel; 0: one per processor")
	return cmd
}

// run runs figures one after the other; all faults of the request are reported before.
func (f labFlags) run(ctx context.Context, names []string, out, errs io.Writer) error {
	var all []*figures.Figure
	for _, name := range names {
		fig, err := figures.ByName(name)
		if err != nil {
			return usageError{err}
		}
		if rows := fig.Missing(); len(rows) > 0 {
			return usagef("%s needs protocols that this build does not have: %s", name, strings.Join(rows, ", "))
		}
		all = append(all, fig)
	}
	if f.parallel < 0 {
		return usagef("--parallel is %d; it must be at least 0", f.parallel)
	}
	if f.record != "" && f.quick {
		return usagef("a quick run is not recorded: its numbers are not to be quoted; leave out --quick or --record")
	}
	collectLate()
	// Before the long work, not after it.
	if f.record != "" {
		if err := os.MkdirAll(f.record, 0o755); err != nil {
			return fmt.Errorf("the directory for the record cannot be made: %w", err)
		}
	}
	_, missing := os.Stat(f.out)
	if err := os.MkdirAll(f.out, 0o755); err != nil {
		return fmt.Errorf("the directory for the results cannot be made: %w", err)
	}
	var kept lab.Kept
	for _, fig := range all {
		report, err := f.runOne(ctx, fig, &kept, errs)
		if ctx.Err() != nil {
			if missing != nil {
				_ = os.Remove(f.out) // it stays if a figure is in it; else nothing is left behind
			}
			fmt.Fprintf(errs, "isochron: stopped before %s was done; nothing of it was written\n", fig.Name)
			return nil
		}
		if err != nil {
			return err
		}
		if err := f.publish(report, out); err != nil {
			return err
		}
	}
	return nil
}

// runOne makes the experiments of a figure that none before it has made.
func (f labFlags) runOne(ctx context.Context, fig *figures.Figure, kept *lab.Kept, errs io.Writer) (*figures.Report, error) {
	bar := newMeter(errs, fig.Name, f.json)
	defer bar.clear()
	return figures.Run(ctx, fig, figures.Options{Quick: f.quick, Seed: f.seed, Parallel: f.parallel, Progress: bar.progress(), RunAll: kept.RunAll})
}

// publish writes the files and prints the report.
func (f labFlags) publish(report *figures.Report, out io.Writer) error {
	results, err := report.Save(f.out)
	if err != nil {
		return err
	}
	pictures, err := report.Draw(f.out)
	if err != nil {
		return err
	}
	if err := f.keep(report, pictures); err != nil {
		return err
	}
	if f.json {
		err = json.NewEncoder(out).Encode(report)
	} else {
		_, err = fmt.Fprintf(out, "%s\nWritten: %s\n", report.Text(), strings.Join(append(pictures, results), " "))
	}
	if wrong := report.Wrong(); err == nil && len(wrong) > 0 {
		err = fmt.Errorf("%d experiments are not serializable; the first: %s", len(wrong), wrong[0])
	}
	return err
}

// keep writes the record and the picture of which documents are made, if requested.
func (f labFlags) keep(report *figures.Report, pictures []string) error {
	if f.record == "" {
		return nil
	}
	record, err := report.Record(time.Now().UTC().Format(time.DateOnly), f.seed)
	if err != nil {
		return err
	}
	if _, err := record.Save(f.record); err != nil {
		return err
	}
	for _, path := range pictures {
		if filepath.Ext(path) != ".svg" {
			continue
		}
		svg, err := os.ReadFile(path)
		if err != nil {
			return fmt.Errorf("the picture cannot be read again: %w", err)
		}
		if err := os.WriteFile(filepath.Join(f.record, filepath.Base(path)), svg, 0o644); err != nil {
			return fmt.Errorf("the picture cannot be kept: %w", err)
		}
	}
	return nil
}
