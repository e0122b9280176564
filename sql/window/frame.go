package window

import (
	"sort"
	"strings"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// codeFrame is MySQL's number for a bound of a frame that is none.
const codeFrame = 3586

func isRange(f gms.WindowFrame) bool { return strings.HasPrefix(f.String(), "RANGE") }

// frameText distinguishes frames that differ. The engine's own text does not distinguish the ends
// of frames that begin with UNBOUNDED PRECEDING.
func frameText(f gms.WindowFrame) string {
	unit := "rows between "
	if isRange(f) {
		unit = "range between "
	}
	bound := func(unbounded string, has bool, preceding, following gms.Expression) string {
		switch {
		case preceding != nil:
			return preceding.String() + " preceding"
		case following != nil:
			return following.String() + " following"
		case has:
			return "unbounded " + unbounded
		}
		return "current row"
	}
	return unit + bound("preceding", f.UnboundedPreceding(), f.StartNPreceding(), f.StartNFollowing()) +
		" and " + bound("following", f.UnboundedFollowing(), f.EndNPreceding(), f.EndNFollowing())
}

// frame gives the places of a sorted partition that a row's frame has: from, up to before to.
type frame func(ctx *gms.Context, at int) (from, to int, err error)

// frameOf returns the frame of a window over the rows as they are sorted for it.
func (s *sorted) frameOf(ctx *gms.Context, w *gms.WindowDefinition) (frame, error) {
	f := w.Frame
	switch {
	case f == nil && len(w.OrderBy) == 0:
		return func(_ *gms.Context, at int) (int, int, error) { return s.partition[at].from, s.partition[at].to, nil }, nil
	case f == nil: // up to the last that is sorted alike
		return func(_ *gms.Context, at int) (int, int, error) { return s.partition[at].from, s.peers[at].to, nil }, nil
	case isRange(f):
		return s.rangeFrame(ctx, w)
	}
	return s.rowsFrame(ctx, f)
}

// rowsFrame counts rows.
func (s *sorted) rowsFrame(ctx *gms.Context, f gms.WindowFrame) (frame, error) {
	start, err := rowsOffset(ctx, f.StartNPreceding(), f.StartNFollowing())
	if err != nil {
		return nil, err
	}
	end, err := rowsOffset(ctx, f.EndNPreceding(), f.EndNFollowing())
	if err != nil {
		return nil, err
	}
	return func(_ *gms.Context, at int) (int, int, error) {
		p := s.partition[at]
		from, to := p.from, p.to
		if !f.UnboundedPreceding() {
			from = min(max(at+start, p.from), p.to)
		}
		if !f.UnboundedFollowing() {
			to = min(max(at+end+1, p.from), p.to)
		}
		return from, max(from, to), nil
	}, nil
}

// offsetMost is more rows than there can be.
const offsetMost = 1 << 40

func rowsOffset(ctx *gms.Context, preceding, following gms.Expression) (int, error) {
	e, sign := following, 1
	if preceding != nil {
		e, sign = preceding, -1
	}
	if e == nil {
		return 0, nil
	}
	n, ok, err := wholeNumber(ctx, e)
	if err != nil {
		return 0, err
	}
	if !ok || n < 0 {
		return 0, errFrame()
	}
	return sign * int(min(n, offsetMost)), nil
}

// wholeNumber is the value of an expression that is the same for all rows.
func wholeNumber(ctx *gms.Context, e gms.Expression) (n int64, ok bool, err error) {
	v, err := e.Eval(ctx, nil)
	if err != nil || v == nil {
		return 0, false, err
	}
	if !types.IsInteger(e.Type(ctx)) {
		return 0, false, nil
	}
	whole, in, err := types.Int64.Convert(ctx, v)
	if err != nil || in != gms.InRange {
		return offsetMost, err == nil, err
	}
	return whole.(int64), true, nil
}

func errFrame() error {
	return mysql.NewSQLError(codeFrame, "HY000", "Window '<unnamed window>': frame start or end is negative, NULL or of not integral type")
}

// rangeFrame compares the values that rows are sorted by. Rows without a value are peers of
// one another, and at no distance of others.
func (s *sorted) rangeFrame(ctx *gms.Context, w *gms.WindowDefinition) (frame, error) {
	f := w.Frame
	start, err := s.distance(ctx, w, f.StartNPreceding(), f.StartNFollowing())
	if err != nil {
		return nil, err
	}
	end, err := s.distance(ctx, w, f.EndNPreceding(), f.EndNFollowing())
	if err != nil {
		return nil, err
	}
	return func(ctx *gms.Context, at int) (from, to int, err error) {
		p, peers := s.partition[at], s.peers[at]
		from, to = peers.from, peers.to
		switch {
		case f.UnboundedPreceding():
			from = p.from
		case start != nil:
			if from, err = start.first(ctx, s, at, false); err != nil {
				return 0, 0, err
			}
		}
		switch {
		case f.UnboundedFollowing():
			to = p.to
		case end != nil:
			if to, err = end.first(ctx, s, at, true); err != nil {
				return 0, 0, err
			}
		}
		return from, max(from, to), nil
	}, nil
}

// distance is one of the bounds of a frame by RANGE: a value and how far it is from the row's.
type distance struct {
	bound   gms.Expression // of the row
	compare gms.Type
	down    bool
}

func (s *sorted) distance(ctx *gms.Context, w *gms.WindowDefinition, preceding, following gms.Expression) (*distance, error) {
	n, op := following, sqlparser.PlusStr
	if preceding != nil {
		n, op = preceding, sqlparser.MinusStr
	}
	if n == nil {
		return nil, nil
	}
	if len(w.OrderBy) != 1 {
		return nil, mysql.NewSQLError(3587, "HY000", "Window '<unnamed window>' with RANGE N PRECEDING/FOLLOWING frame requires exactly one ORDER BY expression, of numeric or temporal type")
	}
	if _, is := n.(*expression.Interval); !is {
		v, err := n.Eval(ctx, nil)
		if err != nil {
			return nil, err
		}
		if d, _, err := types.Float64.Convert(ctx, v); err != nil || v == nil || d.(float64) < 0 {
			return nil, errFrame()
		}
	}
	by := w.OrderBy[0]
	down := by.Order == gms.Descending
	if down && op == sqlparser.PlusStr {
		op = sqlparser.MinusStr
	} else if down {
		op = sqlparser.PlusStr
	}
	bound := expression.NewArithmetic(by.Expr, n, op)
	return &distance{bound: bound, compare: types.GetCompareType(by.Expr.Type(ctx), bound.Type(ctx)), down: down}, nil
}

// first is the first place of the row's partition that is at the bound or behind it; after:
// that is behind it.
func (d *distance) first(ctx *gms.Context, s *sorted, at int, after bool) (int, error) {
	own := s.keys[at][s.by]
	if own == nil {
		if after {
			return s.peers[at].to, nil
		}
		return s.peers[at].from, nil
	}
	bound, err := d.bound.Eval(ctx, s.row(at))
	if err != nil {
		return 0, err
	}
	p := s.partition[at]
	i := sort.Search(p.to-p.from, func(i int) bool {
		v := s.keys[p.from+i][s.by]
		if v == nil || bound == nil {
			return (v == nil) == d.down // NULLs are first, or last
		}
		c, failed := d.compare.Compare(ctx, v, bound)
		if failed != nil {
			err = failed
		}
		if d.down {
			c = -c
		}
		return c > 0 || c == 0 && !after
	})
	return p.from + i, err
}
