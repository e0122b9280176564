package main

import (
	"fmt"
	"slices"
	"strings"
)

// firstEnough is the fraction of the first's throughput with which the default counts as equal.
const firstEnough = 0.95

// collapsed is the fraction of the best throughput with fewer connections below which a load has
// collapsed.
const collapsed = 0.8

func (b *bench) report() string {
	if b.Collapse {
		return b.collapseReport()
	}
	return b.tableReport()
}

// column is one load with one number of connections, and its rows, the quickest first.
type column struct {
	load        load
	connections int
	rows        []summary
}

// columns are those of which there is something to show.
func (b *bench) columns() []column {
	var all []column
	for _, l := range b.loads {
		for _, n := range l.connections {
			c := column{load: l, connections: n}
			for _, row := range append(slices.Clone(b.Protocols), galeraRow) {
				if s, ok := b.results.summarize(row, l.name, n, b.Collapse); ok {
					c.rows = append(c.rows, s)
				}
			}
			slices.SortStableFunc(c.rows, func(x, y summary) int {
				switch {
				case x.PerSecond > y.PerSecond:
					return -1
				case x.PerSecond < y.PerSecond:
					return 1
				}
				return 0
			})
			if len(c.rows) > 0 {
				all = append(all, c)
			}
		}
	}
	return all
}

// find is a row of the column; ok is false if it has no figures.
func (c column) find(row string) (s summary, ok bool) {
	for _, s := range c.rows {
		if s.row == row && s.rounds > 0 {
			return s, true
		}
	}
	return summary{}, false
}

// best is the first of the rows that are not of these names.
func (c column) best(but ...string) (s summary, ok bool) {
	for _, s := range c.rows {
		if s.rounds > 0 && !slices.Contains(but, s.row) {
			return s, true
		}
	}
	return summary{}, false
}

// verdict returns the default's place among the protocols of the table.
func (c column) verdict(main string) string {
	mine, ok := c.find(main)
	best, other := c.best(main, galeraRow)
	switch {
	case !ok:
		return "the default has no figures"
	case !other:
		return "alone"
	case mine.PerSecond > 0 && mine.PerSecond >= best.PerSecond:
		return "first"
	case mine.PerSecond >= firstEnough*best.PerSecond:
		return "within 5 %"
	case mine.PerSecond <= 0:
		return fmt.Sprintf("**%s beats it**", best.row)
	}
	return fmt.Sprintf("**%s beats it by %.0f %%**", best.row, 100*(best.PerSecond/mine.PerSecond-1))
}

// tableReport is the default beside the best of the others, and then every row of every load.
func (b *bench) tableReport() string {
	var w strings.Builder
	columns := b.columns()
	fmt.Fprintf(&w, "The default, %s, beside the best of the other rows; commits a second.\n\n", b.Default)
	w.WriteString("| load, connections | the default | the best other | | default / other | the default is | Galera |\n|---|---:|---|---:|---:|---|---:|\n")
	for _, c := range columns {
		mine, _ := c.find(b.Default)
		best, other := c.best(b.Default, galeraRow)
		g, _ := c.find(galeraRow)
		share := "-"
		if other && best.PerSecond > 0 {
			share = fmt.Sprintf("%.2f", mine.PerSecond/best.PerSecond)
		}
		fmt.Fprintf(&w, "| %s, %d | %s | %s | %s | %s | %s | %s |\n", c.load.name, c.connections,
			count(mine), or(best.row, "-"), count(best), share, c.verdict(b.Default), count(g))
	}
	for _, c := range columns {
		fmt.Fprintf(&w, "\n### %s, %d connections\n\n%s: %s.\n\n", c.load.name, c.connections, upper(c.load.about), c.verdict(b.Default))
		w.WriteString("| row | a second | p50 ms | p99 ms | p99.9 ms | tries lost per commit | longest, s | most tries | |\n|---|---:|---:|---:|---:|---:|---:|---:|---|\n")
		for _, s := range c.rows {
			if s.rounds == 0 {
				fmt.Fprintf(&w, "| %s | - | - | - | - | - | - | - | %s |\n", b.marked(s.row), s.remark())
				continue
			}
			fmt.Fprintf(&w, "| %s | %s | %s | %s | %s | %.2f | %.1f | %d | %s |\n", b.marked(s.row), count(s), millis(s.P50), millis(s.P99), millis(s.P999),
				s.Lost, s.Longest/1000, s.Tries, s.remark())
		}
	}
	return w.String()
}

// collapseReport has, for each load, a row in each line and the connections in columns.
func (b *bench) collapseReport() string {
	var w strings.Builder
	fmt.Fprintf(&w, "Commits a second, and p99 in ms; below %.1f of the best with fewer connections: **bold**.\n", collapsed)
	columns := b.columns()
	for _, l := range b.loads {
		mine := slices.DeleteFunc(slices.Clone(columns), func(c column) bool { return c.load.name != l.name })
		if len(mine) == 0 {
			continue
		}
		fmt.Fprintf(&w, "\n### %s\n\n%s.\n\n| row |", l.name, upper(l.about))
		for _, c := range mine {
			fmt.Fprintf(&w, " %d |", c.connections)
		}
		fmt.Fprintf(&w, " least of the best before | longest, s | most tries | |\n|---|%s---:|---:|---:|---|\n", strings.Repeat("---:|", len(mine)))
		for _, row := range b.Protocols {
			w.WriteString(b.collapseLine(row, mine))
		}
	}
	return w.String()
}

func (b *bench) collapseLine(row string, columns []column) string {
	line := "| " + b.marked(row) + " |"
	best, least, seen := 0.0, 0.0, false
	var worst summary
	var remarks []string
	for _, c := range columns {
		s, ok := c.find(row)
		if at := slices.IndexFunc(c.rows, func(s summary) bool { return s.row == row }); at >= 0 {
			seen = true
			if r := c.rows[at].remark(); r != "" {
				remarks = append(remarks, fmt.Sprintf("%d: %s", c.connections, r))
			}
		}
		text := "-"
		if ok {
			text = fmt.Sprintf("%s (%s)", count(s), millis(s.P99))
			if best > 0 {
				if share := s.PerSecond / best; least == 0 || share < least {
					least = share
				}
				if s.PerSecond < collapsed*best {
					text = "**" + text + "**"
				}
			}
			best = max(best, s.PerSecond)
			worst.Longest, worst.Tries = max(worst.Longest, s.Longest), max(worst.Tries, s.Tries)
		}
		line += " " + text + " |"
	}
	if !seen {
		return ""
	}
	share := "-"
	if least > 0 {
		share = fmt.Sprintf("%.2f", least)
	}
	return fmt.Sprintf("%s %s | %.1f | %d | %s |\n", line, share, worst.Longest/1000, worst.Tries, strings.Join(remarks, "; "))
}

func (b *bench) marked(row string) string {
	if row == b.Default {
		return "**" + row + "**, the default"
	}
	return row
}

// remarkMax bounds an error in a table; the file of --resume has all of it.
const remarkMax = 200

// remark returns what the figures do not show.
func (s summary) remark() string {
	var all []string
	if s.failures > 0 {
		reason := strings.NewReplacer("|", "/", "\n", " ").Replace(s.failed)
		all = append(all, fmt.Sprintf("failed %d of %d times: %s", s.failures, s.failures+s.rounds, reason[:min(len(reason), remarkMax)]))
	}
	if s.Unknown > 0 {
		all = append(all, fmt.Sprintf("%d unknown", s.Unknown))
	}
	if s.GaveUp > 0 {
		all = append(all, fmt.Sprintf("%d given up", s.GaveUp))
	}
	if s.Stuck > 0 {
		all = append(all, fmt.Sprintf("%d connections were stuck %.0f s after the time", s.Stuck, sysbenchDrain.Seconds()))
	}
	return strings.Join(all, ", ")
}

// count is a throughput with three digits at least.
func count(s summary) string {
	switch {
	case s.rounds == 0:
		return "-"
	case s.PerSecond < 100:
		return fmt.Sprintf("%.1f", s.PerSecond)
	}
	return fmt.Sprintf("%.0f", s.PerSecond)
}

func millis(v float64) string {
	if v < 10 {
		return fmt.Sprintf("%.2f", v)
	}
	return fmt.Sprintf("%.0f", v)
}

func or(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

// upper begins a sentence.
func upper(text string) string { return strings.ToUpper(text[:1]) + text[1:] }
