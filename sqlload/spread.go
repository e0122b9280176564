package sqlload

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// spread is a table whose rows are at several sources, in ranges of its key: of n rows at s sources
// the first has 0 to n/s-1, and so on. It draws the rows of a transaction, at one source or at
// several.
type spread struct {
	rows        int
	sources     int
	distributed int // transactions of a hundred that work at several sources
	span        int // at how many
	central     int // the source of the others, from 1 on; 0: any
	theta       float64
	lock        string // what ends a read that is to lock its row; "": nothing
	packet      bool   // the statements of a transaction leave together
	hint        bool   // the last of them is marked

	ranks *zipf
}

// The kinds of transactions over sources.
const (
	kindLocal       = "local"
	kindDistributed = "distributed"
)

// lastHint marks the last statement of a transaction.
const lastHint = "/*+ last */ "

// NoneDistributed, as Options.Distributed, is a load in which every transaction has one source.
const NoneDistributed = -1

func newSpread(o Options) spread {
	return spread{
		rows: or(o.Rows, 40_000), sources: or(o.Sources, 4), distributed: max(0, or(o.Distributed, 20)), span: or(o.Span, 2), central: o.CentralAt,
		theta: or(o.Theta, 0.9), lock: o.ReadLock, packet: o.Packet, hint: o.Hint,
	}
}

func (s *spread) Sizes() map[string]float64 {
	return map[string]float64{"rows": float64(s.rows), "sources": float64(s.sources)}
}

func (s *spread) Adopt(sizes map[string]float64) {
	s.rows, s.sources = int(sizes["rows"]), int(sizes["sources"])
}

// begin is called before the first draw; keys is the most that a transaction draws.
func (s *spread) begin(keys int) error {
	switch {
	case s.sources < 1 || s.rows < s.sources*keys:
		return fmt.Errorf("%d rows at %d sources are too few for %d in one transaction", s.rows, s.sources, keys)
	case s.central < 0 || s.central > s.sources:
		return fmt.Errorf("transactions at one source cannot be at source %d of %d", s.central, s.sources)
	case s.distributed > 100 || s.distributed > 0 && (s.span < 2 || s.span > min(keys, s.sources)):
		return fmt.Errorf("%d of a hundred transactions cannot work on %d rows at %d of %d sources", s.distributed, keys, s.span, s.sources)
	}
	if s.ranks == nil {
		s.ranks = newZipf(uint64(s.rows/s.sources), s.theta)
	}
	return nil
}

// draw has the keys of one transaction, all different, ascending, and its kind. Each source has
// its own popular rows, the first of its range.
func (s *spread) draw(r *rand.Rand, n int) (keys []int64, kind string) {
	at, kind := []int{r.IntN(s.sources)}, kindLocal
	if s.central > 0 {
		at[0] = s.central - 1
	}
	if r.IntN(100) < s.distributed {
		at, kind = r.Perm(s.sources)[:s.span], kindDistributed
	}
	per := s.rows / s.sources
	for len(keys) < n {
		source := at[r.IntN(len(at))]
		if len(keys) < len(at) {
			source = at[len(keys)] // each of them has one at least
		}
		if k := int64(source*per) + int64(s.ranks.draw(r)); !slices.Contains(keys, k) {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	return keys, kind
}

// statement is one of a transaction: an update of one row, or a read of one.
type statement struct {
	text  string
	write bool
}

// run sends the statements of a transaction, which must be before its COMMIT.
func (s *spread) run(ctx context.Context, tx *sql.Tx, list []statement) error {
	texts := make([]string, len(list))
	for i, one := range list {
		texts[i] = one.text
		if !one.write {
			texts[i] += s.lock
		}
	}
	if s.hint {
		texts[len(texts)-1] = lastHint + texts[len(texts)-1]
	}
	if s.packet && len(texts) > 1 {
		return together(ctx, tx, strings.Join(texts, "; "), list)
	}
	for i, one := range list {
		var err error
		if one.write {
			err = ChangeOne(ctx, tx, texts[i])
		} else {
			err = readOne(ctx, tx, texts[i])
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// readOne reads one row and discards it.
func readOne(ctx context.Context, tx *sql.Tx, text string) error {
	rows, err := tx.QueryContext(ctx, text)
	if err != nil {
		return err
	}
	n := 0
	err = scan(rows, func(*sql.Rows) error { n++; return nil })
	if err == nil && n != 1 {
		err = fmt.Errorf("%d rows were received, want one: %s", n, text)
	}
	return err
}

// together sends several statements in one message. The numbers of rows changed by its updates are
// not received; the check at the end finds an update that changed none.
func together(ctx context.Context, tx *sql.Tx, text string, list []statement) error {
	reads := slices.ContainsFunc(list, func(s statement) bool { return !s.write })
	if !reads {
		_, err := tx.ExecContext(ctx, text)
		return err
	}
	rows, err := tx.QueryContext(ctx, text)
	if err != nil {
		return err
	}
	got := 0
	for more := true; more; more = rows.NextResultSet() {
		for rows.Next() {
			got++
		}
		if rows.Err() != nil {
			break
		}
	}
	want := len(slices.DeleteFunc(slices.Clone(list), func(s statement) bool { return s.write }))
	if err = errors.Join(rows.Err(), rows.Close()); err == nil && got != want {
		err = fmt.Errorf("%d rows were received, want %d: %s", got, want, text)
	}
	return err
}
