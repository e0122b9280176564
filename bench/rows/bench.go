package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// bench is one run of the command.
type bench struct {
	config
	loads   []load
	results *results
	log     func(format string, args ...any) // progress
	begun   time.Time
	dir     string // of data
	script  string // measured.lua
}

// galeraRow represents Galera among the protocols.
const galeraRow = "galera"

// settle is the time a cluster has after its start to find its leaders.
const settle = 3 * time.Second

// breath is the pause after a cell, in which what its clients have left ends.
const breath = 500 * time.Millisecond

// seconds of a cell of this load.
func (b *bench) seconds(l load) int {
	if b.Seconds > 0 {
		return b.Seconds
	}
	return l.seconds
}

func (b *bench) sites() []site {
	return []site{
		{name: siteNode}, {name: siteNear, wan: "uniform:1ms:3", scale: 1}, {name: siteFar, wan: "uniform:30ms:3", scale: 1},
		{name: siteWide, wan: b.WAN, scale: b.WANScale},
	}
}

// rows are those of a round, a different one first in each.
func (b *bench) rows(round int) []string {
	rows := slices.Clone(b.Protocols)
	if b.Galera {
		rows = append(rows, galeraRow)
	}
	n := round % len(rows)
	return append(rows[n:], rows[:n]...)
}

// todo are the loads of a site that a row has not run in a round.
func (b *bench) todo(row string, at site, round int) []load {
	var left []load
	for _, l := range b.loads {
		if l.site != at.name || row == galeraRow && !l.galera {
			continue
		}
		l.connections = slices.DeleteFunc(slices.Clone(l.connections), func(n int) bool { return b.results.has(b.result(row, l, n, round)) })
		if len(l.connections) > 0 {
			left = append(left, l)
		}
	}
	return left
}

func (b *bench) result(row string, l load, connections, round int) result {
	return result{Row: row, Load: l.name, Connections: connections, Round: round, Collapse: b.Collapse, Seconds: b.seconds(l)}
}

// left returns the number of cells left to run, and their approximate time.
func (b *bench) left() (cells int, takes time.Duration) {
	for round := range b.Repeat {
		for _, at := range b.sites() {
			for _, row := range b.rows(round) {
				todo := b.todo(row, at, round)
				if len(todo) > 0 {
					takes += 10 * time.Second
				}
				for _, l := range todo {
					cells += len(l.connections)
					takes += time.Duration(len(l.connections)*(b.Warmup+b.seconds(l)+1)) * time.Second
				}
			}
		}
	}
	return cells, takes
}

// errTime is the end of --minutes.
var errTime = errors.New("the time is over")

func (b *bench) timeOver() bool {
	return b.Minutes > 0 && time.Since(b.begun).Minutes() > b.Minutes
}

// all runs every cell that is left.
func (b *bench) all(ctx context.Context) error {
	b.begun = time.Now()
	cells, takes := b.left()
	b.log("%d cells, about %.0f minutes and the loading", cells, takes.Minutes())
	for round := range b.Repeat {
		for _, at := range b.sites() {
			for _, row := range b.rows(round) {
				todo := b.todo(row, at, round)
				if len(todo) == 0 {
					continue
				}
				err := b.turn(ctx, row, at, round, todo)
				if errors.Is(err, errTime) {
					cells, takes = b.left()
					b.log("the time is over: %d cells, about %.0f minutes are left for another run with --resume", cells, takes.Minutes())
					return nil
				}
				if ctx.Err() != nil {
					return errors.New("it was stopped; --resume continues")
				}
				if err != nil {
					return fmt.Errorf("%s at %s: %w", row, at.name, err)
				}
			}
		}
	}
	return nil
}

// turn starts a server of a protocol at a site and runs its cells there.
func (b *bench) turn(ctx context.Context, row string, at site, round int, todo []load) (err error) {
	if b.timeOver() {
		return errTime
	}
	sys := b.system(row, at)
	dir := b.home(row, at)
	s, err := b.filled(ctx, sys, row, at, dir)
	if err != nil {
		return err
	}
	defer func() {
		err = errors.Join(err, s.stop())
		if b.Data == "" && round == b.Repeat-1 {
			err = errors.Join(err, os.RemoveAll(dir))
		}
	}()
	if err := pause(ctx, settle); err != nil {
		return err
	}
	for _, l := range todo {
		for _, n := range l.connections {
			if b.timeOver() {
				return errTime
			}
			one := b.result(row, l, n, round)
			var failed error
			one.figures, failed = b.cell(ctx, s, l, n)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if failed != nil {
				one.Error, one.figures = failed.Error(), figures{}
				b.log("%s, %s, %d connections: FAILED: %v", row, l.name, n, failed)
			} else {
				b.log("%s, %s, %d connections: %.1f a second, p50 %.1f ms, p99 %.1f ms, %.2f tries lost per commit, longest %.0f ms, %d tries",
					row, l.name, n, one.PerSecond, one.P50, one.P99, one.Lost, one.Longest, one.Tries)
			}
			if err := errors.Join(b.results.add(one), pause(ctx, breath)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (b *bench) system(row string, at site) system {
	if row == galeraRow {
		return galera{wan: b.WANProgram, site: at}
	}
	return isochron{program: b.Program, spec: row, site: at}
}

func (b *bench) home(row string, at site) string { return filepath.Join(b.dir, at.name+"-"+row) }

// filled starts a server that has the databases of a site, on a copy of the loaded data if it has
// none yet.
func (b *bench) filled(ctx context.Context, sys system, row string, at site, dir string) (*server, error) {
	want := b.databases(at)
	if have := loaded(dir); len(missing(want, have)) == 0 {
		return sys.start(ctx, dir)
	}
	original := b.home("original", at)
	if row == galeraRow {
		original += "-" + galeraRow
	}
	if err := b.load(ctx, b.system(orDefault(row, b.Default), at), original, want); err != nil {
		return nil, err
	}
	if err := errors.Join(os.RemoveAll(dir), sys.clone(original, dir)); err != nil {
		return nil, err
	}
	s, err := sys.start(ctx, dir)
	if err == nil || ctx.Err() != nil || row == galeraRow {
		return s, err
	}
	b.log("%s does not start on a copy of %s's data and loads its own: %v", row, b.Default, err)
	if err := os.RemoveAll(dir); err != nil {
		return nil, err
	}
	if err := b.load(ctx, sys, dir, want); err != nil {
		return nil, err
	}
	return sys.start(ctx, dir)
}

// orDefault is the row that loads: Galera does it for itself.
func orDefault(row, otherwise string) string {
	if row == galeraRow {
		return row
	}
	return otherwise
}

// databases returns the databases of a site on which a cell is still to be run, by any protocol.
func (b *bench) databases(at site) []database {
	var want []database
	for round := range b.Repeat {
		for _, row := range b.rows(round) {
			for _, l := range b.todo(row, at, round) {
				if !slices.ContainsFunc(want, func(d database) bool { return d.name == l.database.name }) {
					want = append(want, l.database)
				}
			}
		}
	}
	return want
}

// load fills a directory with missing databases, without delays.
func (b *bench) load(ctx context.Context, sys system, dir string, want []database) error {
	if len(missing(want, loaded(dir))) == 0 {
		return nil
	}
	s, err := sys.loading(ctx, dir)
	if err != nil {
		return err
	}
	err = b.fill(ctx, s, dir, want)
	if err == nil {
		err = pause(ctx, settle) // until every replica has received the last decision
	}
	return errors.Join(err, s.stop())
}

// fill prepares what a directory does not have, and notes it there.
func (b *bench) fill(ctx context.Context, s *server, dir string, want []database) error {
	have := loaded(dir)
	for _, d := range missing(want, have) {
		begun := time.Now()
		if err := b.prepare(ctx, s, d); err != nil {
			return err
		}
		b.log("%s: %s is loaded, in %.1f s", filepath.Base(dir), d.name, time.Since(begun).Seconds())
		have = append(have, d.key())
		text, err := json.Marshal(have)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, loadedFile), text, 0o600)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// loadedFile lists the databases in a directory.
const loadedFile = "loaded.json"

// key is a database with its sizes.
func (d database) key() string {
	return fmt.Sprint(d.name, " ", d.workload, " ", d.prepare, " ", d.tables, " ", d.rows)
}

func loaded(dir string) []string {
	text, err := os.ReadFile(filepath.Join(dir, loadedFile))
	if err != nil {
		return nil // nothing yet
	}
	var have []string
	_ = json.Unmarshal(text, &have) // half written: it is loaded again
	return have
}

func missing(want []database, have []string) []database {
	return slices.DeleteFunc(slices.Clone(want), func(d database) bool { return slices.Contains(have, d.key()) })
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
