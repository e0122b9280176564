package figure

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// The tables of the documents are between two comments, of which the first names the table and the
// figure, and are written from the figure's record: no number is typed.
const (
	tableBegin = "<!-- %s of %s -->\n"
	tableEnd   = "<!-- end of %s -->\n"
)

// tables are the tables of a figure, by the word in the comment.
var tables = []struct {
	word string
	text func(Record) string
}{
	{"claims", Record.Claims},
	{"numbers", Record.Numbers},
	{"shares", Record.Shares},
	{"spans", Record.SpanTable},
}

// Claims returns a figure's picture and the table of its claims under all costs, in Markdown, and
// the reasons of those not met, or better. Under other costs a verdict is named where it differs.
func (r Record) Claims() string {
	var b strings.Builder
	fmt.Fprintf(&b, "![%s](../figures/%s.svg)\n\n", r.Title, fileBase(r.Figure))
	if len(r.Costs[0].Claims) == 0 {
		return b.String() + r.made()
	}
	b.WriteString("| claim | at | paper | band | ours |")
	for _, c := range r.Costs[1:] {
		b.WriteString(" " + shortCosts(c.Name) + " |")
	}
	b.WriteString(" reason |\n|---|---|---|---|---|" + strings.Repeat("---|", len(r.Costs)) + "\n")
	for i, c := range r.Costs[0].Claims {
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |", c.Claim, c.At, c.Paper, c.Band, c.cell())
		for _, other := range r.Costs[1:] {
			b.WriteString(" " + other.Claims[i].underOtherCosts(c) + " |")
		}
		b.WriteString(" " + r.reason(c) + " |\n")
	}
	if r.Purpose != "" {
		b.WriteString("\n*Why*: " + r.Purpose + "\n")
	}
	return b.String() + "\n" + r.made()
}

// made describes the run behind the numbers.
func (r Record) made() string {
	torn := ""
	if r.Torn > 0 {
		torn = ", all serializable" + tornText(r.Torn)
	}
	return fmt.Sprintf("Seed %d, recorded %s; %d experiments, %d tries checked%s.\n", r.Seed, r.Recorded, r.Experiments, r.Checked, torn)
}

// shortCosts is a name of costs as it heads a column.
func shortCosts(name string) string { return strings.TrimPrefix(name, "by default, and ") }

// cell returns our number and its verdict, under the default costs.
func (c RecordedClaim) cell() string {
	switch {
	case c.Paper == "-":
		return c.Ours
	case c.Verdict == Met.String():
		return c.Ours + ", met"
	}
	return c.Ours + ", **" + c.Verdict + "**"
}

// underOtherCosts returns the number under other costs, with its verdict where that is not the default's.
func (c RecordedClaim) underOtherCosts(byDefault RecordedClaim) string {
	if c.Paper == "-" || c.Verdict == byDefault.Verdict {
		return c.Ours
	}
	return c.Ours + ", " + c.Verdict
}

// reason returns why a claim is not met, or better, in a few words; a claim for comparison also has
// a reason if its runs give no number.
func (r Record) reason(c RecordedClaim) string {
	switch {
	case c.Note != "":
		return "no number: " + c.Note
	case !c.unmet():
		return ""
	case c.Reason != "":
		return c.Reason
	case r.Purpose != "":
		return "see *why*"
	}
	return ""
}

// Numbers returns the table of a figure's first measure, throughput in nearly all: the first panel;
// of a figure over time it is the mean of each second.
func (r Record) Numbers() string {
	switch {
	case len(r.Panels) > 0:
		return r.Panels[0].table(r.Parameter, r.Values)
	case len(r.Over) > 0:
		seconds, means := r.Over[0].bySecond(r.Seconds)
		return means.table("second", seconds)
	}
	return r.made()
}

// bySecond returns the means of the pieces that end within each second in which any does.
func (p Panel) bySecond(until []float64) (seconds []string, means Panel) {
	means.Measure = p.Measure
	for row, l := range p.Lines {
		line, pieces, second := Line{Protocol: l.Protocol}, 0, 0
		for i, n := range l.Numbers {
			if now := int(math.Ceil(until[i])); now > second {
				line.Numbers, pieces, second = append(line.Numbers, 0), 0, now
				if row == 0 {
					seconds = append(seconds, strconv.Itoa(now))
				}
			}
			mean := &line.Numbers[len(line.Numbers)-1]
			*mean = (*mean*float64(pieces) + n) / float64(pieces+1)
			pieces++
		}
		for i, n := range line.Numbers {
			line.Numbers[i] = significant(n)
		}
		means.Lines = append(means.Lines, line)
	}
	return seconds, means
}

// table returns the panel in Markdown, a column for each value of the parameter.
func (p Panel) table(parameter string, values []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "| %s; %s: | %s |\n|---|%s\n", p.Measure, parameter, strings.Join(values, " | "), strings.Repeat("---|", len(values)))
	for _, l := range p.Lines {
		fmt.Fprintf(&b, "| %s |", l.Protocol)
		for _, n := range l.Numbers {
			fmt.Fprintf(&b, " %s |", plain(n))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// plain writes a number without an exponent.
func plain(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

// Shares returns the sum of a closed loop, at the end of an axis of clients: throughput is the
// clients times the share of their time in tries that commit, over the length of such a try.
func (r Record) Shares() string {
	clients, err := strconv.ParseFloat(r.Values[len(r.Values)-1], 64)
	if r.Parameter != d2pcClients.Label || err != nil {
		return r.made()
	}
	var b strings.Builder
	fmt.Fprintf(&b, "| %s clients | throughput (transactions/s) | mean latency (ms) | of the clients' time in transactions that commit |\n|---|---|---|---|\n", plain(clients))
	for _, l := range r.panel(throughput).Lines {
		tps, ms := l.last(), r.panel(latency).row(l.Protocol).last()
		fmt.Fprintf(&b, "| %s | %s | %s | %.0f%% |\n", l.Protocol, plain(tps), plain(ms), 100*tps*ms/1000/clients)
	}
	return b.String()
}

// panel returns the panel of a measure, or an empty one.
func (r Record) panel(m Measure) Panel {
	i := slices.IndexFunc(r.Panels, func(p Panel) bool { return p.Measure == m.label() })
	if i < 0 {
		return Panel{}
	}
	return r.Panels[i]
}

// row returns a protocol's line, or an empty one.
func (p Panel) row(name string) Line {
	i := slices.IndexFunc(p.Lines, func(l Line) bool { return l.Protocol == name })
	if i < 0 {
		return Line{}
	}
	return p.Lines[i]
}

// last returns the number at the end of the axis.
func (l Line) last() float64 {
	if len(l.Numbers) == 0 {
		return 0
	}
	return l.Numbers[len(l.Numbers)-1]
}

// SpanTable returns the table of a figure of spans.
func (r Record) SpanTable() string {
	var b strings.Builder
	b.WriteString("| protocol | client in | led from | formula (ms) | alone (ms) | with costs and contention (ms) |\n|---|---|---|---|---|---|\n")
	for _, s := range r.Spans {
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s |\n", s.Protocol, s.Client, s.Leader, plain(s.LawMS), plain(s.AloneMS), plain(s.MeasuredMS))
	}
	fmt.Fprintf(&b, "\n%d of %d spans measured alone agree with their formulas.\n", r.Held, r.Laws)
	return b.String() + r.made()
}

// WriteTables puts the tables of the records into a document. It is an error when a table's end is
// missing, or when no figure has its name; a figure without a record is marked as not recorded.
func WriteTables(doc string, records []Record) (string, error) {
	for _, table := range tables {
		var err error
		if doc, err = writeTable(doc, records, table.word, table.text); err != nil {
			return "", err
		}
	}
	return doc, nil
}

func writeTable(doc string, records []Record, word string, text func(Record) string) (string, error) {
	var out strings.Builder
	end := fmt.Sprintf(tableEnd, word)
	for {
		before, rest, found := strings.Cut(doc, "<!-- "+word+" of ")
		out.WriteString(before)
		if !found {
			return out.String(), nil
		}
		name, rest, _ := strings.Cut(rest, " -->\n")
		_, rest, found = strings.Cut(rest, end)
		if !found {
			return "", fmt.Errorf("the table of %s of %s has no end: it is %q", word, name, strings.TrimSpace(end))
		}
		table, err := tableOf(name, records, text)
		if err != nil {
			return "", err
		}
		if table == "" && word == tables[0].word { // said once
			table = fmt.Sprintf("Not recorded yet: run `isochron lab run %s --record docs/figures`.\n", name)
		}
		fmt.Fprintf(&out, tableBegin+"%s"+end, word, name, wrap(table))
		doc = rest
	}
}

// tableOf returns one table of a figure; without a record it is empty.
func tableOf(name string, records []Record, text func(Record) string) (string, error) {
	if i := slices.IndexFunc(records, func(r Record) bool { return r.Figure == name }); i >= 0 {
		return text(records[i]), nil
	}
	_, err := ByName(name)
	return "", err
}

// Document is a page, present and as written from the records; its name is a path below dir.
type Document struct{ Name, Was, Text string }

// Documents returns the pages in dir and in its directories, with their tables, and the page of all
// claims; the records are in its directory figures.
func Documents(dir string) ([]Document, error) {
	records, err := Records(filepath.Join(dir, "figures"))
	if err != nil {
		return nil, err
	}
	paths, err := filepath.Glob(filepath.Join(dir, "*.md"))
	if err != nil {
		return nil, err
	}
	below, err := filepath.Glob(filepath.Join(dir, "*", "*.md"))
	if err != nil {
		return nil, err
	}
	paths = append(paths, below...)
	scores := Document{Name: scoreboardName, Text: Scoreboard(records)}
	var out []Document
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("a document could not be read: %w", err)
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return nil, err
		}
		d := Document{Name: name, Was: string(text)}
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

// columns is the width of a document's lines; tables may be wider.
const columns = 100

// wrap breaks the lines of a document that are too long, except tables.
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
