package exec

import (
	"math"

	"isochron/sql/expr"
)

// spread are VAR_POP, VAR_SAMP, STDDEV_POP and STDDEV_SAMP, by Welford's recurrence over doubles.
type spread struct {
	*folding
	numbers *numbers
	count   int64
	mean    float64
	squares float64 // the sum of the squares of the distances from the mean
}

func (s *spread) add(row []expr.Value) error {
	v := row[s.Args[0]]
	if v.IsNull() {
		return nil
	}
	if s.numbers == nil {
		s.numbers = newNumbers(s.context, s.Types[0])
	}
	f := s.numbers.double(v)
	s.count++
	distance := f - s.mean
	s.mean += distance / float64(s.count)
	s.squares += distance * (f - s.mean)
	return nil
}

func (s *spread) result() (expr.Value, error) {
	n := s.count
	if s.Kind == VarSamp || s.Kind == StdSamp {
		n--
	}
	if s.count == 0 || n == 0 {
		return expr.Null, nil
	}
	out := s.squares / float64(n)
	if s.Kind == StdPop || s.Kind == StdSamp {
		out = math.Sqrt(out)
	}
	if math.IsNaN(out) || math.IsInf(out, 0) { // the distances are beyond a double
		out = math.MaxFloat64
	}
	return double(out), nil
}
