package exec

import (
	"context"

	"isochron/sql/expr"
)

func newWindowFunction(c *expr.Context, w *Window, f *WindowFunction, m Memory) windowFunction {
	switch f.Kind {
	case Ntile:
		return &ntile{at: f.Args[0]}
	case Lag, Lead:
		return &shifted{back: f.Kind == Lag, args: f.Args}
	case FirstValue, LastValue, NthValue:
		return &valueOfFrame{kind: f.Kind, args: f.Args, frame: newFrame(w, f.Frame)}
	case OfAggregate:
		return newWindowAggregate(c, w, f, m)
	}
	return positional(f.Kind)
}

// positional is a function of the row's place among the rows and its peers.
type positional WindowKind

func (k positional) value(_ context.Context, p *partition, i int) (expr.Value, error) {
	switch WindowKind(k) {
	case RowNumber:
		return expr.Uint(uint64(i + 1)), nil
	case Rank:
		return expr.Uint(uint64(p.peersFrom() + 1)), nil
	case DenseRank:
		return expr.Uint(uint64(p.cut + p.group + 1)), nil
	case PercentRank:
		if p.size() == 1 {
			return expr.Double(0), nil
		}
		return expr.Double(float64(p.peersFrom()) / float64(p.size()-1)), nil
	}
	return expr.Double(float64(p.peersTo()) / float64(p.size())), nil // CumeDist
}

func (positional) reset() {}
func (positional) close() {}

// argument reads a number that is the same in all rows, once.
type argument struct {
	n     int
	known bool
}

// of is the number in a column of the row at hand; least is the smallest that the function takes.
func (a *argument) of(v expr.Value, least int, function string) (int, error) {
	if !a.known {
		n, ok := countOf(v)
		if !ok || n < least {
			return 0, expr.NewError(1210, "HY000", "Incorrect arguments to %s", function)
		}
		a.n, a.known = n, true
	}
	return a.n, nil
}

// ntile is NTILE: the first buckets have one row more where the rows cannot be divided evenly.
type ntile struct {
	argument
	at int
}

func (t *ntile) value(_ context.Context, p *partition, i int) (expr.Value, error) {
	buckets, err := t.of(p.current[t.at], 1, "ntile")
	if err != nil {
		return expr.Null, err
	}
	size, larger := p.size()/buckets, p.size()%buckets
	if in := larger * (size + 1); i >= in {
		return expr.Uint(uint64(larger + (i-in)/size + 1)), nil
	}
	return expr.Uint(uint64(i/(size+1) + 1)), nil
}

func (*ntile) reset() {}
func (*ntile) close() {}

// shifted is LAG or LEAD.
type shifted struct {
	argument
	back bool
	args []int
}

func (s *shifted) value(_ context.Context, p *partition, i int) (expr.Value, error) {
	distance := 1
	if len(s.args) > 1 && s.args[1] >= 0 {
		name := "lead"
		if s.back {
			name = "lag"
		}
		var err error
		if distance, err = s.of(p.current[s.args[1]], 0, name); err != nil {
			return expr.Null, err
		}
	}
	other := i + distance
	if s.back {
		other = i - distance
	}
	switch {
	case other >= 0 && other < p.size():
		return p.at(other)[s.args[0]], nil
	case len(s.args) > 2 && s.args[2] >= 0:
		return p.current[s.args[2]], nil
	}
	return expr.Null, nil
}

func (*shifted) reset() {}
func (*shifted) close() {}

// valueOfFrame is FIRST_VALUE, LAST_VALUE or NTH_VALUE.
type valueOfFrame struct {
	argument
	kind  WindowKind
	args  []int
	frame *frame
}

func (v *valueOfFrame) value(_ context.Context, p *partition, i int) (expr.Value, error) {
	from, to, err := v.frame.of(p, i)
	if err != nil {
		return expr.Null, err
	}
	at := from
	switch v.kind {
	case LastValue:
		at = to - 1
	case NthValue:
		n, err := v.of(p.current[v.args[1]], 1, "nth_value")
		if err != nil {
			return expr.Null, err
		}
		at = from + n - 1
	}
	if at < from || at >= to {
		return expr.Null, nil
	}
	return p.at(at)[v.args[0]], nil
}

func (v *valueOfFrame) reset() { v.frame.reset() }
func (v *valueOfFrame) close() {}
