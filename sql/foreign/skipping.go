package foreign

import (
	"strconv"
	"strings"
	"time"

	"vitess.io/vitess/go/sqltypes"

	"isochron/sql/dialect"
	"isochron/txn"
)

// Skipping carries out a SELECT with LIMIT and SKIP LOCKED over a table of which several sources
// have rows, so that it locks the rows that it returns and no others. It looks for the first rows
// of each source without a lock, and then locks them by their keys, with the statement's condition,
// in the order of the answer: in each round as many as are still missing. A row that another
// transaction has locked or changed meanwhile is not returned, and the next is tried.
//
// A row that was changed between the look and its lock so that it no longer fulfils the condition
// stays locked, as after a statement at one source.
type Skipping struct {
	b       *planning
	p       dialect.Partial
	key     []string // columns of the primary key
	numbers []bool   // which of them are integers
	want    int      // rows
	most    int64    // rows that are looked for at each source
	at      []uint64
	looked  bool // once at least
	more    bool // a source has more rows than were looked for
	rows    []foundRow
	tried   map[string]bool // keys of rows
	asked   *Plan           // in this round
	locking []foundRow      // in this round; nil: it looks
	out     *Plan           // the plan that has given the answer
	results []txn.SourceResult
	locked  int // rows
}

// foundRow is the location of a row.
type foundRow struct {
	source uint64
	key    []dialect.Value
	name   string // of the key
}

// The bounds of a statement that skips locked rows.
const (
	skipRowsMax  = 10_000 // of its LIMIT
	skipAhead    = 16     // rows of each source that are looked for beyond LIMIT
	skipBatchMax = 1000   // rows that are locked in one round
	// SkipRoundsMax bounds its rounds. Each but the first is due to rows that others hold.
	SkipRoundsMax = 200
)

// skipping plans a SELECT that skips locked rows and has a LIMIT.
func (b *planning) skipping() error {
	p, err := b.partial()
	switch {
	case b.s.kinds != nil:
		return ErrAsWritten
	case err != nil:
		return refusedSkip(b.s.tables[0].Name, "with a join, a subquery, DISTINCT, or an ORDER BY of texts or expressions", "lock the rows of one source, or leave the words SKIP LOCKED out")
	case len(p.Keys) > 0:
		return refusedSkip(b.s.tables[0].Name, "with GROUP BY and LIMIT", "lock the rows with a query of their own first")
	case p.Outputs != nil:
		return b.parts() // one row, of all of which each counts
	case p.Skip > 0:
		return refusedSkip(b.s.tables[0].Name, "with OFFSET", "leave it out: rows that others hold are skipped without it")
	case p.Most > skipRowsMax:
		return refusedSkip(b.s.tables[0].Name, "with a LIMIT above "+strconv.Itoa(skipRowsMax), "take fewer rows at a time")
	}
	t := b.s.tables[0]
	k := &Skipping{b: b, p: p, key: t.Key, want: int(p.Most), at: b.s.reached(t, b.args), tried: map[string]bool{}, out: &Plan{partial: &p}}
	for _, name := range t.Key {
		of := class(t.Columns[t.Column(name)].Type)
		switch of {
		case "integer", "text", "a time", "date":
		default:
			return refusedSkip(t.Name, "whose primary key has the type "+t.Columns[t.Column(name)].Type, "lock rows by their keys")
		}
		k.numbers = append(k.numbers, of == "integer")
	}
	b.p.Skipping = k
	return nil
}

// refusedSkip is the error of a statement that would leave more rows locked than it returns.
func refusedSkip(table, what, instead string) error {
	return refused("SKIP LOCKED on %s, which lies at several sources, %s would lock rows that are not returned: %s", table, what, instead)
}

// Next returns the requests of the next round; none: the answer is complete.
func (k *Skipping) Next() ([]txn.SourceStatement, error) {
	k.locking = nil
	switch {
	case len(k.rows) > 0 && k.locked < k.want:
		return k.lock()
	case !k.looked || k.more && k.locked < k.want:
		return k.look()
	}
	return nil, nil
}

// look asks all sources for their first rows; the first time one of them for the columns too.
func (k *Skipping) look() ([]txn.SourceStatement, error) {
	if k.most *= 4; !k.looked {
		k.most = int64(k.want) + skipAhead
	}
	k.asked = &Plan{partial: &k.p}
	for _, x := range k.at {
		if err := k.send(k.asked, x, k.p.Look(k.key, k.most), false); err != nil {
			return nil, err
		}
	}
	if k.looked {
		return k.asked.Statements, nil
	}
	if err := k.send(k.out, k.at[0], k.p.Shape(), false); err != nil {
		return nil, err
	}
	return append(k.asked.Statements[:len(k.at):len(k.at)], k.out.Statements...), nil
}

// lock asks for as many of the rows as are missing.
func (k *Skipping) lock() ([]txn.SourceStatement, error) {
	n, before := min(k.want-k.locked, len(k.rows), skipBatchMax), len(k.out.Statements)
	k.locking, k.rows = k.rows[:n], k.rows[n:]
	for _, r := range k.locking {
		k.tried[r.name] = true
		if err := k.send(k.out, r.source, k.p.Row(k.key, r.key), true); err != nil {
			return nil, err
		}
	}
	return k.out.Statements[before:], nil
}

// send adds a statement to a plan.
func (k *Skipping) send(to *Plan, source uint64, st *dialect.Statement, locks bool) error {
	s := *k.b.s
	s.Statement, s.translated = st, map[translating]*dialect.Translation{}
	s.records, s.writesRecords, s.recordsKnown = nil, false, false
	b := &planning{s: &s, args: k.b.args, now: k.b.now, p: to}
	b.now.Share = b.now.Share && locks
	if err := b.send(source, st); err != nil {
		return err
	}
	if sent := &to.Statements[len(to.Statements)-1]; !locks {
		sent.Records = nil
		sent.Look, sent.Locks = true, k.b.now.Share // it takes no locks, and needs none
	}
	return nil
}

// Took records the results of a round, in the order of its statements. It returns about how many
// bytes are held of it.
func (k *Skipping) Took(results []txn.SourceResult, zone *time.Location) (bytes int64, err error) {
	if k.locking != nil {
		for i := range results {
			k.locked += min(1, len(results[i].Rows))
			bytes += int64(results[i].Bytes())
		}
		k.results = append(k.results, results...)
		return bytes, nil
	}
	if !k.looked {
		k.results = append(k.results, results[len(k.at)])
	}
	k.looked, k.more, k.rows = true, false, nil
	a := &Answer{}
	for i, source := range k.at {
		r := &results[i].Result
		if len(r.Columns) != k.p.Hidden+len(k.key) {
			return 0, refused("the sources' answers have different columns")
		}
		for _, c := range r.Columns {
			if i == 0 {
				a.Fields = append(a.Fields, Field(k.asked.dialects[i], c))
			}
		}
		k.more = k.more || int64(len(r.Rows)) >= k.most
		for _, row := range cells(k.asked.dialects[i], r, a.Fields, zone) {
			a.Rows = append(a.Rows, append(row, sqltypes.NewUint64(source)))
		}
	}
	k.asked.sort(a, 0)
	for _, row := range a.Rows {
		if f := k.foundRow(row); !k.tried[f.name] {
			k.rows = append(k.rows, f)
		}
	}
	return a.Bytes(), nil
}

// foundRow returns the location of a row that was looked for: its key and its source are after its
// sort columns.
func (k *Skipping) foundRow(row []sqltypes.Value) foundRow {
	last := len(row) - 1
	source, _ := strconv.ParseUint(row[last].ToString(), 10, 64) // it was written as one
	var name strings.Builder
	name.WriteString(row[last].ToString())
	f := foundRow{source: source}
	for i, v := range row[k.p.Hidden:last] {
		f.key = append(f.key, dialect.Value{Arg: -1, Text: v.ToString(), Number: k.numbers[i]})
		name.WriteString("\x00" + strconv.Itoa(v.Len()) + ":" + v.ToString())
	}
	f.name = name.String()
	return f
}

// Done is the plan whose answers are the statement's, and the answers.
func (k *Skipping) Done() (*Plan, []txn.SourceResult) { return k.out, k.results }
