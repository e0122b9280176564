package main

import (
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"strings"

	"isochron/bench/command"
)

const usage = `Runs generated statements on Isochron and on MariaDB and reports where the answers differ.

  make differential                                           50,000 statements of all forms
  make differential ARGS="--forms scalar --statements 1000 --details /tmp/details.tsv"
  make differential ARGS="--path expr --forms functions,scalar"   expressions by sql/expr, without a server
  make differential ARGS="--forms joins,windows --statement-memory 300000"   what operators hold is bounded
  make differential ARGS="--forms joins,sets --spill-from 1000"   operators write rows to files
  make differential ARGS="--sources --forms joins,subqueries"   tables are in attached databases
  make differential ARGS="--keep /tmp/kept --keep-max 20"     shrunk cases with MariaDB's answers`

func main() {
	if len(os.Args) > 2 && os.Args[1] == serveArgument {
		if err := serve(os.Args[2], strings.Join(os.Args[3:], ","), os.Stdout); err != nil {
			os.Stderr.WriteString(err.Error() + "\n")
			os.Exit(1)
		}
		return
	}
	command.Main("differential", run)
}

// settings are the arguments of the command.
type settings struct {
	Options
	way, details, keep string
	asJSON             bool
	keepMax            int
}

func parse(args []string, out io.Writer) (*settings, error) {
	s := &settings{}
	f := command.NewFlags("differential", usage)
	f.Uint64Var(&s.Seed, "seed", 1, "of the tables' rows and of the statements")
	f.IntVar(&s.Statements, "statements", 50_000, "of all forms together, an equal share for each")
	names := f.String("forms", strings.Join(formNames(), ","), "forms of statements, with commas")
	f.StringVar(&s.way, "way", "both", "how statements are sent: text, prepared or both")
	paths := f.String("path", "", "empty: statements run on the server; expr: functions and scalars are computed by package sql/expr alone; ,expr: both, side by side")
	f.IntVar(&s.Workers, "workers", 2, "connections that run statements at once")
	f.IntVar(&s.Trials, "shrink", shrinkTrials, "smaller statements to try for a difference")
	f.Int64Var(&s.Memory, "statement-memory", 0, "isochron_statement_memory of the sessions, in bytes, so that operators spill; 0: the server's own")
	f.Int64Var(&s.Spill, "spill-from", 0, "bytes that an operator of the Isochron that is started holds before it writes rows to files; 0: a quarter of a statement's memory")
	f.BoolVar(&s.Sources, "sources", false, "put the tables of the Isochron that is started into two PostgreSQLs and two MariaDBs, for forms "+strings.Join(sourceForms, ","))
	f.StringVar(&s.Address, "isochron", "", "host:port of a running Isochron, root without a password; empty: one is started")
	f.StringVar(&s.MariaDB, "mariadb", "", "host:port of a running MariaDB, root without a password; empty: one is started")
	f.BoolVar(&s.asJSON, "json", false, "print the report as one JSON object")
	f.StringVar(&s.details, "details", "", "`file` to write every difference to, a line each")
	f.StringVar(&s.keep, "keep", "", "`directory` to write shrunk cases to, one of each class of differences without a reason")
	f.IntVar(&s.keepMax, "keep-max", 100, "how many cases to write")
	if err := f.Parse(args, out); err != nil {
		return nil, err
	}
	s.Forms, s.Paths = strings.Split(*names, ","), strings.Split(*paths, ",")
	for _, name := range s.Forms {
		if !slices.Contains(formNames(), name) {
			return nil, command.Usagef("there is no form %q; forms are %s", name, strings.Join(formNames(), ", "))
		}
	}
	if s.Sources {
		if s.Workers = 1; s.Address != "" { // the tables of a source have one name
			return nil, command.Usagef("--sources needs an Isochron of its own; leave out --isochron")
		}
		for _, name := range s.Forms {
			if !slices.Contains(sourceForms, name) {
				return nil, command.Usagef("--sources has no form %s; add --forms %s", name, strings.Join(sourceForms, ","))
			}
		}
	}
	for _, path := range s.Paths {
		if path != "" && path != exprPath {
			return nil, command.Usagef("--path is %s or empty, not %q", exprPath, path)
		}
	}
	if slices.Contains(s.Paths, exprPath) {
		for _, name := range s.Forms {
			if !slices.Contains(exprForms, name) {
				return nil, command.Usagef("--path %s has no form %s; add --forms %s", exprPath, name, strings.Join(exprForms, ","))
			}
		}
	}
	switch s.way {
	case "text":
		s.Ways = []bool{false}
	case "prepared":
		s.Ways = []bool{true}
	case "both":
		s.Ways = []bool{false, true}
	default:
		return nil, command.Usagef("--way is text, prepared or both, not %q", s.way)
	}
	if s.Statements < len(s.Forms) || s.Workers < 1 || s.Workers > 64 || s.Trials < 0 || s.Memory < 0 || s.Spill < 0 {
		return nil, command.Usagef("--statements, --workers, --shrink, --statement-memory or --spill-from is out of range")
	}
	return s, nil
}

// inMemory puts temporary directories into memory where there is a file system for it: a change of a table with a counter
// creates the table again.
func inMemory() error {
	const dir = "/dev/shm"
	if i, err := os.Stat(dir); err != nil || !i.IsDir() || os.Getenv("TMPDIR") != "" {
		return nil
	}
	return os.Setenv("TMPDIR", dir)
}

// run does what the arguments say.
func run(ctx context.Context, args []string, out, words io.Writer) error {
	s, err := parse(args, out)
	if err != nil {
		return err
	}
	r := &runner{opt: s.Options, tables: newTables(s.Seed)}
	if s.Sources {
		r.tables = atSources(r.tables)
	}
	if r.reasons, err = readReasons(reasonsText); err != nil {
		return err
	}
	if err := inMemory(); err != nil {
		return err
	}
	stop, err := r.start(ctx)
	if err != nil {
		return err
	}
	defer stop()
	err = r.run(ctx, words) // what was interrupted reports how far it came
	report := newReport(r)
	err = errors.Join(err, command.Report(out, s.asJSON, report))
	if s.details != "" {
		err = errors.Join(err, report.writeDetails(s.details))
	}
	if s.keep != "" {
		err = errors.Join(err, report.writeKept(r, s.keep, s.keepMax))
	}
	return errors.Join(err, report.err())
}
