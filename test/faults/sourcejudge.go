package faults

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// quietWait bounds how long a transaction may stay prepared when everything runs and no client
// works.
const quietWait = 90 * time.Second

// judge checks databases and shards themselves while no client works, and returns the faults, a
// sentence each. Moves that were checked are only counted later.
func (r *sourcesRun) judge(ctx context.Context) (found []string, err error) {
	if found, err = r.quiet(ctx); err != nil {
		return nil, err
	}
	m, sum := r.movers, int64(0)
	m.mu.Lock()
	defer m.mu.Unlock()
	upTo := m.number.Load()
	seen := map[int64]uint8{} // the places that have a move
	for i, p := range r.places {
		v, ids, older, err := r.has(ctx, p, m.checkedTo)
		if err != nil {
			return found, fmt.Errorf("%s: %w", p.name, err)
		}
		sum += v
		if older != m.had[i] {
			found = append(found, fmt.Sprintf("%s had %d moves when it was last checked, and has %d of them", p.name, m.had[i], older))
		}
		for _, id := range ids {
			seen[id] |= 1 << i
		}
		m.had[i] = older + int64(len(ids))
	}
	if want := int64(len(r.places)) * (accounts + probeAccounts) * accountHas; sum != want {
		found = append(found, fmt.Sprintf("the accounts at all places sum to %d, not %d", sum, want))
	}
	for _, number := range slices.Sorted(maps.Keys(m.moves)) {
		if wrong := r.wrong(number, m.moves[number], seen[number]); wrong != "" {
			found = append(found, wrong)
		}
		delete(seen, number)
	}
	for _, number := range slices.Sorted(maps.Keys(seen)) {
		found = append(found, fmt.Sprintf("there is a move %d, which no client has made", number))
	}
	m.moves, m.checkedTo = map[int64]move{}, upTo
	return found, nil
}

// wrong returns the fault of one move, by its places; empty: none.
func (r *sourcesRun) wrong(number int64, v move, has uint8) string {
	names := func(places uint8) string {
		var at []int
		for i := range r.places {
			if places&(1<<i) != 0 {
				at = append(at, i)
			}
		}
		return r.movers.names(at)
	}
	switch {
	case has != 0 && has != v.places:
		return fmt.Sprintf("move %d over %s was made at %s alone (%v)", number, names(v.places), names(has), v)
	case has == 0 && v.outcome == acknowledged:
		return fmt.Sprintf("move %d over %s was acknowledged and is not there (%v)", number, names(v.places), v)
	case has != 0 && v.outcome == refused:
		return fmt.Sprintf("move %d over %s was refused and is there (%v)", number, names(v.places), v)
	}
	return ""
}

// has returns the content of a place: the sum of its accounts, the moves after a number, and their
// number up to it.
func (r *sourcesRun) has(ctx context.Context, p *place, after int64) (sum int64, ids []int64, older int64, err error) {
	numbers := func(query string) (out []int64, err error) {
		rows, err := r.ask(ctx, p, query)
		for _, row := range rows {
			n, err := strconv.ParseInt(row, 10, 64)
			if err != nil {
				return nil, err
			}
			out = append(out, n)
		}
		return out, err
	}
	database := ""
	if p.database == nil {
		database = "faults."
	}
	sums, err := numbers(fmt.Sprintf("SELECT SUM(v) FROM %sacct_%s", database, p.name))
	if err != nil {
		return 0, nil, 0, err
	}
	counts, err := numbers(fmt.Sprintf("SELECT COUNT(*) FROM %smoves_%s WHERE id <= %d", database, p.name, after))
	if err != nil {
		return 0, nil, 0, err
	}
	ids, err = numbers(fmt.Sprintf("SELECT id FROM %smoves_%s WHERE id > %d", database, p.name, after))
	return sums[0], ids, counts[0], err
}

// ask gives the only column of an answer: of a database itself, or of the shards through a gateway.
func (r *sourcesRun) ask(ctx context.Context, p *place, query string) (out []string, err error) {
	ctx, cancel := context.WithTimeout(ctx, checkWait)
	defer cancel()
	if p.database != nil {
		rows, err := p.database.Ask(ctx, query)
		for _, row := range rows {
			out = append(out, row[0])
		}
		return out, err
	}
	rows, err := r.movers.doors[0].QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var v string
		if err := rows.Scan(&v); err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, rows.Err()
}

// quiet waits until no transaction of Isochron is prepared anywhere, and reports the rest; and
// checks that other programs' prepared transactions are unchanged.
func (r *sourcesRun) quiet(ctx context.Context) (found []string, err error) {
	for deadline := time.Now().Add(quietWait); ; time.Sleep(100 * time.Millisecond) {
		found = nil
		for _, p := range r.places {
			if p.database == nil {
				continue
			}
			names, err := p.database.Prepared(ctx)
			if err != nil {
				return nil, err
			}
			for _, n := range names {
				if strings.HasPrefix(n, "isochron") {
					found = append(found, fmt.Sprintf("at %s %s stays prepared", p.name, n))
				}
			}
			if !slices.Contains(names, foreignBranch) {
				return append(found, fmt.Sprintf("at %s another program's prepared transaction is gone", p.name)), nil
			}
		}
		if len(found) == 0 || time.Now().After(deadline) {
			return found, nil
		}
	}
}
