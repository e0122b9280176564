package sim

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"isochron/history"
	"isochron/protocol"
)

// failureTraceMax bounds the lines of a story, storiesMax the stories that one command prints.
const (
	failureTraceMax = 160
	storiesMax      = 3
)

// named matches transactions (t1.2.3) and attempts at their commits (a1.2.3).
var named = regexp.MustCompile(`\b[at]\d+\.\d+\.\d+\b`)

// attemptOfTxn matches a line that names an attempt and its transaction.
var attemptOfTxn = regexp.MustCompile(`\b(a\d+\.\d+\.\d+) of (t\d+\.\d+\.\d+)\b`)

// failureTrace runs a seed again and keeps the lines about the transactions that a violation names, and
// the lines about nodes and links meanwhile.
func failureTrace(seed uint64, spec protocol.Spec, cfg FaultRunConfig, violations []history.Violation) []string {
	var lines []string
	cfg.Trace = func(line string) { lines = append(lines, line) }
	RunSeed(seed, spec, cfg)
	about := map[string]bool{}
	for _, name := range culprits(violations) {
		about[name] = true
	}
	for _, line := range lines {
		if m := attemptOfTxn.FindStringSubmatch(line); m != nil && (about[m[1]] || about[m[2]]) {
			about[m[1]], about[m[2]] = true, true
		}
	}
	return abridge(choose(lines, about))
}

// culprits returns the transactions that one violation names: the first violation with several,
// since it shows their interaction; else the first with any.
func culprits(violations []history.Violation) (out []string) {
	for _, v := range violations {
		names := named.FindAllString(v.Detail, -1)
		slices.Sort(names)
		if names = slices.Compact(names); len(names) > 1 {
			return names
		}
		if len(out) == 0 {
			out = names
		}
	}
	return out
}

// choose keeps the lines about these transactions and, from the first to the last of them, those
// about nodes and links. Without transactions it keeps the latter alone.
func choose(lines []string, about map[string]bool) []string {
	var out []string
	last := 0 // length of out after the last line about them
	for _, line := range lines {
		names := named.FindAllString(line, -1)
		concerns := false
		for _, name := range names {
			concerns = concerns || about[name]
		}
		if concerns || len(names) == 0 && ofTheWorld(line) && (len(out) > 0 || len(about) == 0) {
			out = append(out, line)
		}
		if concerns {
			last = len(out)
		}
	}
	if len(about) == 0 {
		return out
	}
	return out[:last]
}

// ofTheWorld reports whether a line is about a node or a link, not a message.
func ofTheWorld(line string) bool {
	return !strings.Contains(line, " -> ") && !strings.Contains(line, " -x ") && !strings.Contains(line, "cuts the log")
}

// abridge omits the middle of a story that is too long.
func abridge(lines []string) []string {
	if len(lines) <= failureTraceMax {
		return lines
	}
	out := append([]string(nil), lines[:failureTraceMax/2]...)
	out = append(out, fmt.Sprintf("    ... %d lines are left out here ...", len(lines)-failureTraceMax))
	return append(out, lines[len(lines)-failureTraceMax/2:]...)
}

// report describes a run with violations: the violations, the trace, and the command that repeats
// the run.
func report(w io.Writer, r Result, spec protocol.Spec, cfg FaultRunConfig, whole bool) {
	if w == io.Discard {
		return
	}
	fmt.Fprintf(w, "seed %d on %s, faults %v: %d violations\n", r.Seed, r.Protocol, cfg.Faults, len(r.Violations))
	for i, v := range r.Violations {
		if i == 5 {
			fmt.Fprintf(w, "  and %d more\n", len(r.Violations)-i)
			break
		}
		fmt.Fprintf(w, "  %v\n", v)
	}
	if whole {
		fmt.Fprintf(w, "  events of %s:\n", orTheCluster(culprits(r.Violations)))
		for _, line := range failureTrace(r.Seed, spec, cfg, r.Violations) {
			fmt.Fprintf(w, "  %s\n", line)
		}
	}
	again := fmt.Sprintf("isochron sim --seeds 1 --seed %d --protocol %s --faults %v", r.Seed, r.Protocol, cfg.Faults)
	if cfg.Regions > 0 {
		again += fmt.Sprintf(" --regions %d", cfg.Regions)
	}
	if cfg.WAN != "" {
		again += " --wan " + cfg.WAN
	}
	for _, f := range []struct {
		name  string
		value float64
	}{{"shards", float64(cfg.Shards)}, {"zipf", cfg.Zipf}, {"loss", cfg.Loss}, {"jitter", cfg.Jitter}} {
		if f.value != 0 {
			again += fmt.Sprintf(" --%s %v", f.name, f.value)
		}
	}
	if len(cfg.Switch) > 0 {
		again += " --switch-protocols " + strings.Join(cfg.Switch, ",")
	}
	if len(cfg.Injected) > 0 {
		again += " --inject-bug " + cfg.Injected
	}
	fmt.Fprintf(w, "  repeat it with: %s --trace\n", again)
}

func orTheCluster(names []string) string {
	if len(names) == 0 {
		return "the cluster"
	}
	return strings.Join(names, ", ")
}
