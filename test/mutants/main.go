package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"isochron/bench/command"
)

const usage = `Takes the rules of the core away, one after the other in a copy of the tree, and reports which test or
fault run notices.

  make mutants                                        all of them
  make mutants ARGS="--only yield- --all"             each check of some
  go run -tags gms_pure_go ./test/mutants --list`

func main() { command.Main("mutants", run) }

// run runs the command.
func run(ctx context.Context, args []string, out, words io.Writer) error {
	if len(args) > 0 && args[0] == "faultrun" {
		return runFaults(args[1:], out)
	}
	f := command.NewFlags("mutants", usage)
	only := f.String("only", "", "run only these mutations: names, or beginnings of names, with commas")
	every := f.Bool("all", false, "run every check of a mutation, also after one has seen it")
	faultRuns := f.Bool("faultruns", false, "run only fault runs, and no tests")
	bound := f.Duration("bound", 5*time.Minute, "of one check; a check that does not end within it has seen the mutation")
	asJSON := f.Bool("json", false, "print one JSON object at the end and nothing else")
	list := f.Bool("list", false, "print the list of mutations, and run nothing")
	if err := f.Parse(args, out); err != nil {
		return err
	}
	chosen, err := choose(all(), *only)
	if err != nil {
		return command.Usage(err)
	}
	if *list {
		printList(out, chosen)
		return nil
	}
	if *asJSON {
		words = io.Discard
	}
	r := runner{every: *every, faultRunsOnly: *faultRuns, bar: &meter{w: words, total: len(chosen)}}
	report, err := r.do(ctx, chosen, *bound) // an interrupted run reports its results so far
	return errors.Join(err, command.Report(out, *asJSON, &report), report.err())
}

// choose returns the mutations whose names begin with one of the given texts.
func choose(list []mutation, only string) ([]mutation, error) {
	if only == "" {
		return list, nil
	}
	var out []mutation
	for name := range strings.SplitSeq(only, ",") {
		before := len(out)
		for _, m := range list {
			if strings.HasPrefix(m.name, strings.TrimSpace(name)) {
				out = append(out, m)
			}
		}
		if len(out) == before {
			return nil, fmt.Errorf("there is no mutation %q; --list prints the names", name)
		}
	}
	return out, nil
}

// runner runs mutations one after the other.
type runner struct {
	every         bool
	faultRunsOnly bool
	bar           *meter
}

func (r *runner) do(ctx context.Context, chosen []mutation, bound time.Duration) (rep report, err error) {
	r.bar.show(0, "copies the tree and builds")
	t, err := newTree(ctx, bound)
	if err != nil {
		return rep, err
	}
	defer func() {
		r.bar.clear()
		err = errors.Join(err, t.remove())
	}()
	for i := range chosen {
		r.bar.show(i, chosen[i].name)
		one, err := r.one(ctx, t, &chosen[i])
		if ctx.Err() != nil {
			return rep, ctx.Err()
		}
		if err != nil {
			one.Error = err.Error()
		}
		rep.Mutations = append(rep.Mutations, one)
	}
	return rep, nil
}

// one applies a mutation, runs its checks, and reverts it.
func (r *runner) one(ctx context.Context, t *tree, m *mutation) (res result, err error) {
	began := time.Now()
	res = result{Name: m.name, Package: m.in, Rule: m.rule, Same: m.same}
	defer func() { res.Seconds = time.Since(began).Seconds() }()
	if m.same != "" {
		return res, nil
	}
	path, text, mutated, err := m.place(t.dir)
	if err != nil {
		return res, err
	}
	for _, c := range r.checks(m) { // before the mutation is applied
		if err := t.holds(ctx, c); err != nil {
			return res, err
		}
	}
	if err := os.WriteFile(path, []byte(mutated), 0o644); err != nil {
		return res, err
	}
	defer func() { err = errors.Join(err, os.WriteFile(path, []byte(text), 0o644)) }()
	return res, r.look(ctx, t, m, &res)
}

// look runs the checks of an applied mutation.
func (r *runner) look(ctx context.Context, t *tree, m *mutation, res *result) error {
	binary := ""
	for _, c := range r.checks(m) {
		if c.pkg == "" && binary == "" {
			var err error
			if binary, err = t.build(ctx, "mutated"); err != nil {
				return err
			}
		}
		s, err := t.look(ctx, c, binary)
		if err != nil {
			return err
		}
		res.Sights = append(res.Sights, s)
		if s.Sees && !r.every {
			return nil
		}
	}
	return nil
}

func (r *runner) checks(m *mutation) []check {
	return slices.DeleteFunc(slices.Clone(m.seen), func(c check) bool { return r.faultRunsOnly && c.pkg != "" })
}
