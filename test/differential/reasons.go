package main

import (
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

//go:embed reasons.txt
var reasonsText string

// reasonLinesMax: the list stays shorter than a page.
const reasonLinesMax = 65

// Reason is a line of the closed list: differences in which MySQL 8's manual is not with MariaDB.
type Reason struct {
	Line      int            `json:"line"`
	Kinds     []Kind         `json:"kinds"`
	Statement *regexp.Regexp `json:"statement"` // of the shrunk statement
	Detail    *regexp.Regexp `json:"detail"`    // of the difference
	Right     string         `json:"right"`     // isochron, or either where the manual leaves it open
	Section   string         `json:"section"`
	Why       string         `json:"why"`
	Hits      int            `json:"hits"`
}

// readReasons reads the list: fields separated by tabs, # for comments.
//
//	KINDS  STATEMENT  DETAIL  RIGHT  SECTION  WHY
func readReasons(list string) (out []*Reason, err error) {
	number := 0
	for line := range strings.Lines(list) {
		number++
		line = strings.TrimRight(line, "\n")
		if line == "" || line[0] == '#' {
			continue
		}
		f := strings.Split(line, "\t")
		if len(f) != 6 {
			return nil, fmt.Errorf("reasons.txt:%d: %d fields, not 6", number, len(f))
		}
		r := &Reason{Line: number, Right: f[3], Section: f[4], Why: f[5]}
		for k := range strings.SplitSeq(f[0], ",") {
			if !slices.Contains(kinds, Kind(k)) {
				return nil, fmt.Errorf("reasons.txt:%d: no kind %q", number, k)
			}
			r.Kinds = append(r.Kinds, Kind(k))
		}
		if r.Right != "isochron" && r.Right != "either" {
			return nil, fmt.Errorf("reasons.txt:%d: %q is right; isochron or either", number, r.Right)
		}
		if r.Section == "" || r.Why == "" {
			return nil, fmt.Errorf("reasons.txt:%d: no section or no reason", number)
		}
		if r.Statement, err = regexp.Compile(f[1]); err != nil {
			return nil, fmt.Errorf("reasons.txt:%d: %w", number, err)
		}
		if r.Detail, err = regexp.Compile(f[2]); err != nil {
			return nil, fmt.Errorf("reasons.txt:%d: %w", number, err)
		}
		out = append(out, r)
	}
	if len(out) > reasonLinesMax {
		return nil, fmt.Errorf("reasons.txt: %d reasons, more than %d", len(out), reasonLinesMax)
	}
	return out, nil
}

// reasonFor is the first reason that matches a difference of a shrunk statement, nil for none.
func reasonFor(reasons []*Reason, statement string, d Difference) *Reason {
	for _, r := range reasons {
		if slices.Contains(r.Kinds, d.Kind) && r.Statement.MatchString(statement) && r.Detail.MatchString(d.Detail) {
			return r
		}
	}
	return nil
}
