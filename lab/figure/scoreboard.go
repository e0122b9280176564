package figure

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// scoreboardName is the page of all claims.
const scoreboardName = "generated/claims.md"

const scoreboardHead = `# Claims

<!-- Written by make docs from the records in docs/figures; do not edit. -->

The claims of the papers and the results of the laboratory, under the default costs. Bands, and runs
without a number, are explained in [figures.md](../laboratory/figures.md).

`

// Scoreboard returns the document of all recorded claims, in Markdown: the paper's number, ours,
// the verdicts under other costs, and the reason where the two differ.
func Scoreboard(records []Record) string {
	var b strings.Builder
	b.WriteString(scoreboardHead + tally(records) + "\n" + constants(records) + "\n")
	b.WriteString("| figure | claim | at | paper | band | ours | verdict | another verdict with | reason |\n|---|---|---|---|---|---|---|---|---|\n")
	for _, r := range records {
		for i, c := range r.Costs[0].Claims {
			if c.Paper != "-" {
				fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s | %s | %s | %s |\n",
					r.Figure, c.Claim, c.At, c.Paper, c.Band, c.Ours, c.Verdict, r.otherwise(i), r.reason(c))
			}
		}
		if r.Laws > 0 {
			fmt.Fprintf(&b, "| `%s` | spans equal to their formulas | %d pairs of regions | all | all | %d | %s | | |\n", r.Figure, r.Laws, r.Held, lawVerdict(r))
		}
	}
	b.WriteString("\n## Reasons of claims not met\n")
	for _, r := range records {
		if r.Purpose != "" {
			fmt.Fprintf(&b, "\n**`%s`**: %s\n", r.Figure, r.Purpose)
		}
	}
	if missing := unrecorded(records); len(missing) > 0 {
		fmt.Fprintf(&b, "\n## Not recorded yet\n\n%s.\n", strings.Join(missing, ", "))
	}
	return wrap(b.String())
}

// otherwise lists the costs under which a claim has another verdict, with the number there.
func (r Record) otherwise(claim int) string {
	var out []string
	for _, costs := range r.Costs[1:] {
		if c := costs.Claims[claim]; c.Verdict != r.Costs[0].Claims[claim].Verdict {
			out = append(out, fmt.Sprintf("%s: %s, %s", shortCosts(costs.Name), c.Ours, c.Verdict))
		}
	}
	return strings.Join(out, "; ")
}

// tally counts the claims by verdict.
func tally(records []Record) string {
	counts := map[string]int{}
	all := 0
	for _, r := range records {
		for _, c := range r.scored() {
			counts[c.Verdict]++
			all++
		}
	}
	var parts []string
	for _, band := range []Band{Met, Better, Short, NoNumber} {
		parts = append(parts, fmt.Sprintf("%d %s", counts[band.String()], strings.ToLower(band.String())))
	}
	return fmt.Sprintf("Of %d claims of %d figures: %s.\n", all, len(records), strings.Join(parts, ", "))
}

// constants counts the claims that are met whatever the costs of a processor or a disk, and names
// the others with the deciding cost: these are numbers of a machine as much as of a protocol.
func constants(records []Record) string {
	met, decided := 0, map[string][]string{}
	for _, r := range records {
		for i, c := range r.Costs[0].Claims {
			if c.Paper == "-" || c.Verdict != Met.String() {
				continue
			}
			met++
			by := ""
			switch cpu, disk := r.turns(i); {
			case cpu && disk:
				by = "processor and disk decide"
			case cpu:
				by = "the processor decides"
			case disk:
				by = "the disk decides"
			default:
				continue
			}
			decided[by] = append(decided[by], fmt.Sprintf("%s in `%s`", c.Claim, r.Figure))
		}
	}
	firm := met
	var out []string
	for _, by := range slices.Sorted(maps.Keys(decided)) {
		firm -= len(decided[by])
		out = append(out, by+" "+strings.Join(decided[by], "; "))
	}
	text := fmt.Sprintf("Of the %d that are met, %d are with CPU halved, CPU doubled and every sync, too.", met, firm)
	if len(out) > 0 {
		text += " Of the others, which a constant alone meets, " + strings.Join(out, "; ") + "."
	}
	return text + "\n"
}

// turns reports whether a claim has another verdict with another processor, or with another disk.
func (r Record) turns(claim int) (cpu, disk bool) {
	for _, costs := range r.Costs[1:] {
		i := slices.IndexFunc(variations, func(v Variation) bool { return v.Name == costs.Name })
		if i < 0 || variations[i].OwnReadOnly || costs.Claims[claim].Verdict == r.Costs[0].Claims[claim].Verdict {
			continue
		}
		cpu, disk = cpu || variations[i].Sync == 0, disk || variations[i].Sync > 0
	}
	return cpu, disk
}

// scored returns the claims with a number of the paper, under the default costs.
func (r Record) scored() (out []RecordedClaim) {
	if len(r.Costs) == 0 {
		return nil
	}
	for _, c := range r.Costs[0].Claims {
		if c.Paper != "-" {
			out = append(out, c)
		}
	}
	return out
}

func lawVerdict(r Record) string {
	if r.Held == r.Laws {
		return Met.String()
	}
	return Short.String()
}

// unrecorded returns the figures without a record.
func unrecorded(records []Record) (out []string) {
	for _, f := range All() {
		if !slices.ContainsFunc(records, func(r Record) bool { return r.Figure == f.Name }) {
			out = append(out, "`"+f.Name+"`")
		}
	}
	return out
}
