package figure

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// The tables of the documents stand between two comments, which name the figure, and are
// written from its record: nobody types a number.
const (
	tableBegin = "<!-- claims of %s -->\n"
	tableEnd   = "<!-- end of claims -->\n"
)

// Claims is the table of a figure's claims under all costs, in Markdown.
func (r Record) Claims() string {
	if len(r.Costs) == 0 || len(r.Costs[0].Claims) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("| claim | at | paper | band | ours |")
	for _, c := range r.Costs[1:] {
		b.WriteString(" " + c.Name + " |")
	}
	b.WriteString("\n|---|---|---|---|---|" + strings.Repeat("---|", len(r.Costs)-1) + "\n")
	for i, c := range r.Costs[0].Claims {
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |", c.Claim, c.At, c.Paper, c.Band, c.cell(true))
		for _, other := range r.Costs[1:] {
			b.WriteString(" " + other.Claims[i].cell(false) + " |")
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "\nSeed %d, recorded %s; %d experiments, %d tries checked.\n", r.Seed, r.Recorded, r.Experiments, r.Checked)
	return b.String()
}

// cell is our number and its verdict; what is the matter with no number is said once.
func (c RecordedClaim) cell(first bool) string {
	switch {
	case c.Paper == "-":
		return c.Ours
	case first && c.Why != "":
		return fmt.Sprintf("%s, %s: %s", c.Ours, c.Verdict, c.Why)
	}
	return c.Ours + ", " + c.Verdict
}

// WriteTables puts the tables of the records into a document. It is an error when a table's
// end is missing, or when its figure has no record.
func WriteTables(doc string, records []Record) (string, error) {
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(doc, "<!-- claims of ")
		out.WriteString(before)
		if !found {
			return out.String(), nil
		}
		name, rest, _ := strings.Cut(rest, " -->\n")
		_, rest, found = strings.Cut(rest, tableEnd)
		if !found {
			return "", fmt.Errorf("the table of %s has no end: it is %q", name, strings.TrimSpace(tableEnd))
		}
		i := slices.IndexFunc(records, func(r Record) bool { return r.Figure == name })
		if i < 0 {
			return "", fmt.Errorf("%s has no record: lab run %s --record docs/figures makes one", name, name)
		}
		fmt.Fprintf(&out, tableBegin+"%s"+tableEnd, name, records[i].Claims())
		doc = rest
	}
}

// Document is a page, as it is and as the records would have it.
type Document struct{ Name, Was, Text string }

// scoreboardName is the page of all claims.
const scoreboardName = "CLAIMS.md"

// Documents are the pages in dir that have tables, and the page of all claims; the records
// are in its directory figures.
func Documents(dir string) ([]Document, error) {
	records, err := Records(filepath.Join(dir, "figures"))
	if err != nil {
		return nil, err
	}
	paths, err := filepath.Glob(filepath.Join(dir, "*.md"))
	if err != nil {
		return nil, err
	}
	scores := Document{Name: scoreboardName, Text: Scoreboard(records)}
	var out []Document
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("a document could not be read: %w", err)
		}
		d := Document{Name: filepath.Base(path), Was: string(text)}
		if d.Name == scoreboardName {
			scores.Was = d.Was
			continue
		}
		if d.Text, err = WriteTables(d.Was, records); err != nil {
			return nil, fmt.Errorf("%s: %w", d.Name, err)
		}
		out = append(out, d)
	}
	if len(records) == 0 && scores.Was == "" {
		return out, nil
	}
	return append(out, scores), nil
}

// Scoreboard is the document of all claims that have been recorded, in Markdown: what the
// papers say, what we found, and why where the two differ.
func Scoreboard(records []Record) string {
	var b strings.Builder
	b.WriteString(scoreboardHead)
	b.WriteString(tally(records) + "\n")
	b.WriteString("| figure | claim | at | paper | ours | verdict |\n|---|---|---|---|---|---|\n")
	for _, r := range records {
		for _, c := range r.scored() {
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s |\n", r.Figure, c.Claim, c.At, c.Paper, c.Ours, c.Verdict)
		}
		if r.Laws > 0 {
			fmt.Fprintf(&b, "| `%s` | spans as their formulas say | %d pairs of regions | all | %d | %s |\n", r.Figure, r.Laws, r.Held, lawVerdict(r))
		}
	}
	b.WriteString("\n## Why where it is not met\n")
	for _, r := range records {
		if r.Why != "" {
			fmt.Fprintf(&b, "\n**`%s`**: %s\n", r.Figure, strings.Join(strings.Fields(r.Why), " "))
		}
	}
	return wrap(b.String())
}

const scoreboardHead = `# Claims

What the papers claim beside what the laboratory finds, under the default costs. This page is
written by ` + "`isochron lab tables`" + ` from the records in ` + "`docs/figures`" + `; what a band is, and when
a run is no number, says [FIGURES.md](FIGURES.md).

`

// tally is how many claims have which verdict.
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

// scored are the claims of which the paper has a number, under the default costs.
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

// columns is the width of a document's lines; tables are as wide as they must be.
const columns = 100

// wrap breaks the lines of a document that are too long, but for tables.
func wrap(doc string) string {
	var out strings.Builder
	for line := range strings.Lines(doc) {
		if strings.HasPrefix(line, "|") || len(line) <= columns {
			out.WriteString(line)
			continue
		}
		width := 0
		for _, word := range strings.Fields(line) {
			if width > 0 && width+1+len(word) > columns {
				out.WriteByte('\n')
				width = 0
			}
			if width > 0 {
				out.WriteByte(' ')
				width++
			}
			out.WriteString(word)
			width += len(word)
		}
		out.WriteByte('\n')
	}
	return out.String()
}
