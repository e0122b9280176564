package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"isochron/history"
	"isochron/sqlload"
)

// workloadFlags are the flags of all three steps of a workload.
type workloadFlags struct {
	name, step  string
	target      sqlload.Target
	login       login
	options     sqlload.Options
	distributed int // of a hundred
	placement   string
	drop        bool
	clients     int
	duration    time.Duration
	warmup      time.Duration
	unchecked   bool
	seed        uint64
	history     string
	json        bool
}

// The steps of a workload.
const (
	stepPrepare = "prepare"
	stepRun     = "run"
	stepCheck   = "check"
)

func newWorkload() *cobra.Command {
	var f workloadFlags
	cmd := &cobra.Command{
		Use:   "workload NAME prepare|run|check",
		Short: "Run a workload on any MySQL server and check the result",
		Long: `Workload measures any MySQL server, Isochron or another: prepare creates the tables and
rows, run executes transactions from several clients and checks the result, and check only
checks it. Clients are spread over the addresses of --dsn.
The workloads: ` + strings.Join(sqlload.Names(), ", ") + `.`,
		Example: `  isochron workload bank prepare --dsn 127.0.0.1:4401
  isochron workload bank run --dsn 127.0.0.1:4401,127.0.0.1:4402 --clients 16 --for 30s
  isochron workload bank check --dsn 127.0.0.1:4401 --json
  isochron workload bank prepare --dsn 127.0.0.1:4600 --password-file c/root.password \
    --tls-ca c/sql-ca.crt`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 2 {
				return usagef("workload needs a name and a step, such as: isochron workload bank prepare (see isochron workload --help)")
			}
			f.name, f.step = args[0], args[1]
			return f.run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	flags := cmd.Flags()
	flags.StringSliceVar(&f.target.Addresses, "dsn", []string{"127.0.0.1:4401"}, "addresses of the server, host:port or the path of a socket; a client that loses its connection uses the next")
	f.login.flags(cmd)
	flags.StringVar(&f.target.Database, "db", "workload", "name of the database; prepare creates it")
	flags.IntVar(&f.clients, "clients", 8, "run: number of clients, each with one transaction at a time")
	flags.DurationVar(&f.duration, "for", 30*time.Second, "run: measured time; 0: until Ctrl-C")
	flags.DurationVar(&f.warmup, "warmup", 0, "run: time before the measured time")
	flags.BoolVar(&f.unchecked, "no-check", false, "run: do not check the result at the end")
	flags.Uint64Var(&f.seed, "seed", 0, "seed of the clients' choices; 0: a different one each time")
	flags.BoolVar(&f.drop, "drop", false, "prepare: drop the workload's tables first")
	flags.StringVar(&f.placement, "placement", "", "prepare, on Isochron: hash:N for N shards, or the JSON object of a table's COMMENT")
	flags.IntVar(&f.options.Rows, "rows", 0, "prepare: number of accounts, records, customers, lists or hot rows; 0: the workload's default")
	flags.IntVar(&f.options.Warehouses, "warehouses", 1, "prepare tpcc: number of warehouses")
	flags.Float64Var(&f.options.Scale, "scale", 1, "prepare tpcc: factor of customers and items; 1 is the benchmark's")
	flags.IntVar(&f.options.Hot, "hot", 0, "run smallbank: number of customers in nine of ten transactions; 0: one in a thousand")
	flags.StringVar(&f.options.Mix, "mix", "a", "run ycsb: a (half updates), b (one update in twenty) or c (reads only)")
	flags.Float64Var(&f.options.Theta, "theta", 0, "run ycsb, transfer or ycsb-txn: Zipf coefficient of the keys, not 1; 0: 0.99, over sources 0.9")
	f.sourceFlags(flags)
	flags.StringVar(&f.history, "history", "", "run list-append: write the history of all clients to this file, for isochron check")
	flags.BoolVar(&f.json, "json", false, "print one JSON object at the end and nothing else")
	return cmd
}

// sourceFlags are those of the loads over several sources.
func (f *workloadFlags) sourceFlags(flags *pflag.FlagSet) {
	flags.IntVar(&f.options.Sources, "sources", 0, "prepare transfer or ycsb-txn: number of sources with the rows, in ranges of the key; 0: 4")
	flags.IntVar(&f.distributed, "distributed", 20, "run transfer or ycsb-txn: percentage of transactions that use several sources")
	flags.IntVar(&f.options.Span, "span", 0, "run transfer or ycsb-txn: number of sources of these transactions; 0: 2")
	flags.IntVar(&f.options.Operations, "operations", 0, "run ycsb-txn: operations per transaction; 0: 5")
	flags.BoolVar(&f.options.Packet, "packet", false, "run transfer or ycsb-txn: send the statements of a transaction in one message")
	flags.BoolVar(&f.options.Hint, "hint", false, "run transfer or ycsb-txn: mark the last statement of a transaction with /*+ last */")
}

// check refuses what makes no sense before anything is connected.
func (f *workloadFlags) check() (sqlload.Workload, error) {
	f.target.Several = f.options.Packet
	if f.options.Distributed = f.distributed; f.distributed == 0 {
		f.options.Distributed = sqlload.NoneDistributed
	}
	w, err := sqlload.New(f.name, f.options)
	if err != nil {
		return nil, usageError{err}
	}
	switch {
	case f.distributed < 0 || f.distributed > 100:
		return nil, usagef("--distributed %d: give a number up to 100", f.distributed)
	case f.options.Sources < 0 || f.options.Span < 0 || f.options.Operations < 0:
		return nil, usagef("--sources, --span and --operations cannot be negative")
	case f.step != stepPrepare && f.step != stepRun && f.step != stepCheck:
		return nil, usagef("%q is not a step; use %s, %s or %s", f.step, stepPrepare, stepRun, stepCheck)
	case f.clients < 1 || f.clients > 10000:
		return nil, usagef("--clients %d: give a number between 1 and 10000", f.clients)
	case f.warmup < 0:
		return nil, usagef("--warmup %v: a time cannot be negative", f.warmup)
	case f.options.Theta < 0 || f.options.Theta == 1 || f.options.Theta > 5:
		return nil, usagef("--theta %v: give a number up to 5 that is not 1, such as 0.9", f.options.Theta)
	case f.duration < 0:
		return nil, usagef("--for %v: a time cannot be negative; 0 runs until Ctrl-C", f.duration)
	case f.options.Mix != "a" && f.options.Mix != "b" && f.options.Mix != "c":
		return nil, usagef("--mix %q: use a, b or c", f.options.Mix)
	case f.options.Hot < 0 || f.options.Hot == 1:
		return nil, usagef("--hot %d: two at least, for some transactions want two customers", f.options.Hot)
	case f.options.Warehouses < 1 || f.options.Warehouses > 10000:
		return nil, usagef("--warehouses %d: give a number between 1 and 10000", f.options.Warehouses)
	case !(f.options.Scale > 0 && f.options.Scale <= 1):
		return nil, usagef("--scale %v: give a number above 0, up to 1", f.options.Scale)
	case f.options.Rows < 0:
		return nil, usagef("--rows %d: a number cannot be negative", f.options.Rows)
	}
	if _, ok := w.(sqlload.Recorded); f.history != "" && (!ok || f.step != stepRun) {
		return nil, usagef("--history: %s %s records none; list-append run does", f.name, f.step)
	}
	if _, err := sqlload.Comment(f.placement, sqlload.Table{}); err != nil {
		return nil, usagef("--placement: %w", err)
	}
	if err := f.target.Check(); err != nil {
		return nil, usageError{err}
	}
	if err := f.login.into(&f.target); err != nil {
		return nil, usageError{err}
	}
	return w, nil
}

func (f *workloadFlags) run(ctx context.Context, out, progress io.Writer) error {
	w, err := f.check()
	if err != nil {
		return err
	}
	if f.json {
		progress = io.Discard
	}
	f.target.Connections = f.clients + 4 // and connections that load or check
	env, err := f.target.Open(ctx, f.step == stepPrepare)
	if err != nil {
		return err
	}
	env.Placement, env.Seed = f.placement, f.seed
	if env.Seed == 0 {
		env.Seed = rand.Uint64()
	}
	env.Log = func(format string, args ...any) { fmt.Fprintf(progress, format+"\n", args...) }
	return errors.Join(f.do(ctx, env, w, out, progress), env.Close())
}

func (f *workloadFlags) do(ctx context.Context, env *sqlload.Env, w sqlload.Workload, out, progress io.Writer) error {
	if f.step == stepPrepare {
		begun := time.Now()
		if err := sqlload.Prepare(ctx, env, f.name, w, f.drop); err != nil {
			return err
		}
		return f.report(out, map[string]any{"workload": f.name, "prepared": true, "seconds": time.Since(begun).Seconds()},
			func() { fmt.Fprintf(out, "%s is loaded, in %.1f s.\n", f.name, time.Since(begun).Seconds()) })
	}
	if err := sqlload.Adopt(ctx, env, f.name, w); err != nil {
		return err
	}
	if f.step == stepCheck {
		found, err := sqlload.Judge(ctx, env, w, nil)
		if err != nil {
			return err
		}
		err = f.report(out, map[string]any{"workload": f.name, "violations": append([]string{}, found...)}, func() {})
		return errorsFirst(err, f.verdict(out, found))
	}
	return f.load(ctx, env, w, out, progress)
}

// load runs the clients and checks afterwards; the report is printed whatever came of it.
func (f *workloadFlags) load(ctx context.Context, env *sqlload.Env, w sqlload.Workload, out, progress io.Writer) error {
	plan := sqlload.Plan{Name: f.name, Clients: f.clients, For: f.duration, Warmup: f.warmup, Progress: progress}
	if f.json {
		plan.Progress = nil
	}
	report, err := sqlload.Run(ctx, env, w, plan)
	if report == nil {
		return err
	}
	err = errorsFirst(err, f.save(w))
	if err == nil && !f.unchecked {
		_, err = sqlload.Judge(context.WithoutCancel(ctx), env, w, report) // Ctrl-C ends the load, not the check
	}
	answered := f.report(out, report, func() { report.Print(out) })
	if err == nil && !f.unchecked {
		err = f.verdict(out, report.Violations)
	}
	return errorsFirst(err, answered)
}

// save writes the recorded history, if requested.
func (f *workloadFlags) save(w sqlload.Workload) error {
	if f.history == "" {
		return nil
	}
	file, err := os.Create(f.history)
	if err != nil {
		return fmt.Errorf("--history: %w", err)
	}
	return errors.Join(history.Save(file, f.name, w.(sqlload.Recorded).History()), file.Close())
}

// report prints one JSON object, or the words for people.
func (f *workloadFlags) report(out io.Writer, object any, words func()) error {
	if !f.json {
		words()
		return nil
	}
	return json.NewEncoder(out).Encode(object)
}

// verdict is the end of a check.
func (f *workloadFlags) verdict(out io.Writer, found []string) error {
	if len(found) == 0 {
		if !f.json {
			fmt.Fprintln(out, "Everything checked holds.")
		}
		return nil
	}
	if !f.json {
		for _, v := range found {
			fmt.Fprintln(out, "VIOLATION:", v)
		}
	}
	return fmt.Errorf("%w: %d, the first: %s", sqlload.ErrViolations, len(found), found[0])
}
