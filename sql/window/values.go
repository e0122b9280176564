package window

import (
	"context"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"
)

// compute computes a function for each place, and puts it there.
func (s *sorted) compute(ctx *gms.Context, f *Function, put func(at int, v any)) error {
	switch {
	case f.aggregate != nil:
		return s.aggregates(ctx, f, put)
	case f.name == "lag", f.name == "lead":
		return s.neighbours(ctx, f, put)
	case f.name == "first_value", f.name == "last_value", f.name == "nth_value":
		return s.ofFrame(ctx, f, put)
	}
	return s.ranks(ctx, f, put)
}

// ranks computes what follows from where a row is among those of its partition.
func (s *sorted) ranks(ctx *gms.Context, f *Function, put func(int, any)) error {
	tiles := int64(0)
	if f.name == "ntile" {
		n, ok, err := wholeNumber(ctx, f.args[0])
		if err != nil {
			return err
		}
		if !ok || n <= 0 {
			return badArgument(f.name)
		}
		tiles = n
	}
	dense := int64(0)
	for at := range s.index {
		p, peers := s.partition[at], s.peers[at]
		place, size := int64(at-p.from), int64(p.to-p.from)
		if at == p.from {
			dense = 0
		}
		if at == peers.from {
			dense++
		}
		switch f.name {
		case "row_number":
			put(at, place+1)
		case "rank":
			put(at, int64(peers.from-p.from)+1)
		case "dense_rank":
			put(at, dense)
		case "percent_rank":
			put(at, float64(peers.from-p.from)/float64(max(1, size-1)))
		case "cume_dist":
			put(at, float64(peers.to-p.from)/float64(size))
		case "ntile":
			put(at, tile(place, size, tiles))
		}
	}
	return nil
}

// tile is which of so many tiles a place is in: the first ones have one more, if they cannot
// be alike.
func tile(place, size, tiles int64) int64 {
	each, more := size/tiles, size%tiles
	if first := more * (each + 1); place >= first {
		return more + (place-first)/max(1, each) + 1
	}
	return place/(each+1) + 1
}

func badArgument(name string) error {
	return mysql.NewSQLError(1210, "HY000", "Incorrect arguments to %s", name)
}

// neighbours computes LAG and LEAD.
func (s *sorted) neighbours(ctx *gms.Context, f *Function, put func(int, any)) error {
	distance := int64(1)
	if len(f.args) > 1 {
		n, ok, err := wholeNumber(ctx, f.args[1])
		if err != nil {
			return err
		}
		if !ok || n < 0 {
			return badArgument(f.name)
		}
		distance = min(n, offsetMost)
	}
	if f.name == "lag" {
		distance = -distance
	}
	t := f.Type(ctx)
	for at := range s.index {
		other, p := at+int(distance), s.partition[at]
		e, row := f.args[0], gms.Row(nil)
		switch {
		case other >= p.from && other < p.to:
			row = s.row(other)
		case len(f.args) > 2:
			e, row = f.args[2], s.row(at)
		default:
			put(at, nil)
			continue
		}
		v, err := e.Eval(ctx, row)
		if err == nil && v != nil && len(f.args) > 2 {
			v, _, err = t.Convert(ctx, v)
		}
		if err != nil {
			return err
		}
		put(at, v)
	}
	return nil
}

// ofFrame computes the value of one row of each frame.
func (s *sorted) ofFrame(ctx *gms.Context, f *Function, put func(int, any)) error {
	within, err := s.frameOf(ctx, f.window)
	if err != nil {
		return err
	}
	nth := int64(1)
	if f.name == "nth_value" {
		n, ok, err := wholeNumber(ctx, f.args[1])
		if err != nil {
			return err
		}
		if !ok || n < 1 {
			return badArgument(f.name)
		}
		nth = min(n, offsetMost)
	}
	for at := range s.index {
		from, to, err := within(ctx, at)
		if err != nil {
			return err
		}
		which := from + int(nth) - 1
		if f.name == "last_value" {
			which = to - 1
		}
		if which < from || which >= to {
			put(at, nil)
			continue
		}
		v, err := f.args[0].Eval(ctx, s.row(which))
		if err != nil {
			return err
		}
		put(at, v)
	}
	return nil
}

// aggregates computes an aggregate over each frame. While frames only grow, each adds to the one
// before it; frames that only shrink are computed from the last one on.
func (s *sorted) aggregates(ctx *gms.Context, f *Function, put func(int, any)) error {
	within, err := s.frameOf(ctx, f.window)
	if err != nil {
		return err
	}
	shrink := f.window.Frame != nil && f.window.Frame.UnboundedFollowing() && !f.window.Frame.UnboundedPreceding() && !ordered(f.name)
	held := &accumulated{f: f.aggregate}
	defer held.drop(ctx)
	for i := range s.index {
		at := i
		if shrink {
			at = len(s.index) - 1 - i
		}
		from, to, err := within(ctx, at)
		if err != nil {
			return err
		}
		v, err := held.over(ctx, s, from, to)
		if err != nil {
			return err
		}
		put(at, v)
	}
	return nil
}

// ordered reports whether the order of rows counts for an aggregate.
func ordered(name string) bool { return name == "json_arrayagg" || name == "json_objectagg" }

// accumulated is an aggregate over the rows from a place to another.
type accumulated struct {
	f        gms.Aggregation
	buffer   gms.AggregationBuffer
	from, to int
	value    any
	rows     int
}

// over gives the aggregate over those places.
func (a *accumulated) over(ctx *gms.Context, s *sorted, from, to int) (any, error) {
	grows := a.buffer != nil && from <= a.from && to >= a.to && (from == a.from || to == a.to) && a.from < a.to
	if !grows {
		a.drop(ctx)
		buffer, err := a.f.NewBuffer(ctx)
		if err != nil {
			return nil, err
		}
		a.buffer, a.from, a.to = buffer, from, from
	} else if from == a.from && to == a.to {
		return a.value, nil
	}
	for at := a.from - 1; at >= from; at-- {
		if err := a.add(ctx, s, at); err != nil {
			return nil, err
		}
	}
	for at := a.to; at < to; at++ {
		if err := a.add(ctx, s, at); err != nil {
			return nil, err
		}
	}
	a.from, a.to = from, to
	v, err := a.buffer.Eval(ctx)
	a.value = v
	return v, err
}

func (a *accumulated) add(ctx *gms.Context, s *sorted, at int) error {
	if a.rows++; a.rows%lookEvery == 0 && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return a.buffer.Update(ctx, s.row(at))
}

func (a *accumulated) drop(ctx *gms.Context) {
	if a.buffer != nil {
		a.buffer.Dispose(ctx)
		a.buffer = nil
	}
}
