package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
)

// result is one cell of one round: a line of JSON.
type result struct {
	Row         string `json:"row"`
	Load        string `json:"load"`
	Connections int    `json:"connections"`
	Round       int    `json:"round"`
	Collapse    bool   `json:"collapse"`
	Seconds     int    `json:"seconds"`
	figures
	Error string `json:"error,omitempty"`
}

// same reports whether two lines are of one cell in one round.
func (r result) same(o result) bool {
	return r.Row == o.Row && r.Load == o.Load && r.Connections == o.Connections && r.Round == o.Round && r.Collapse == o.Collapse
}

// results are all there are, and the file that keeps them.
type results struct {
	list []result
	file *os.File // nil: none
}

// openResults reads what a file has, which need not be there yet; "": none is kept.
func openResults(path string) (*results, error) {
	r := &results{}
	if path == "" {
		return r, nil
	}
	old, err := os.Open(path)
	switch {
	case err == nil:
		err = errors.Join(r.read(old), old.Close())
	case errors.Is(err, fs.ErrNotExist):
		err = nil
	}
	if err == nil {
		r.file, err = os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	}
	if err != nil {
		return nil, fmt.Errorf("--resume: %w", err)
	}
	return r, nil
}

func (r *results) read(f *os.File) error {
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		var one result
		if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
			return fmt.Errorf("line %d of %s is no result: %w", n, f.Name(), err)
		}
		r.put(one)
	}
	return lines.Err()
}

// put keeps the latest of a cell.
func (r *results) put(one result) {
	r.list = append(slices.DeleteFunc(r.list, one.same), one)
}

// has reports whether a cell is done; one that failed is not.
func (r *results) has(one result) bool {
	return slices.ContainsFunc(r.list, func(o result) bool { return o.same(one) && o.Error == "" })
}

// add keeps a new one, in the file too.
func (r *results) add(one result) error {
	r.put(one)
	if r.file == nil {
		return nil
	}
	return json.NewEncoder(r.file).Encode(one)
}

// failures is an error if any cell failed.
func (r *results) failures() error {
	n := 0
	for _, one := range r.list {
		if one.Error != "" {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	return fmt.Errorf("%d cells failed; with --resume they are run again", n)
}

// summary is a cell over all its rounds.
type summary struct {
	row    string
	rounds int // that went well
	figures
	failures int
	failed   string // how the latest of them failed
}

// summarize has the medians of a cell's rounds, and the worst of what any transaction took.
func (r *results) summarize(row, load string, connections int, collapse bool) (summary, bool) {
	s := summary{row: row}
	var perSecond, p50, p99, p999, lost []float64
	seen := false
	for _, one := range r.list {
		if one.Row != row || one.Load != load || one.Connections != connections || one.Collapse != collapse {
			continue
		}
		seen = true
		if one.Error != "" {
			s.failed, s.failures = one.Error, s.failures+1
			continue
		}
		s.rounds++
		perSecond, p50, p99 = append(perSecond, one.PerSecond), append(p50, one.P50), append(p99, one.P99)
		p999, lost = append(p999, one.P999), append(lost, one.Lost)
		s.Longest, s.Tries = max(s.Longest, one.Longest), max(s.Tries, one.Tries)
		s.Unknown, s.GaveUp = s.Unknown+one.Unknown, s.GaveUp+one.GaveUp
		s.Stuck = max(s.Stuck, one.Stuck)
	}
	if s.rounds > 0 {
		s.PerSecond, s.P50, s.P99, s.P999, s.Lost = median(perSecond), median(p50), median(p99), median(p999), median(lost)
	}
	return s, seen
}

func median(v []float64) float64 {
	slices.Sort(v)
	n := len(v)
	return (v[(n-1)/2] + v[n/2]) / 2
}
