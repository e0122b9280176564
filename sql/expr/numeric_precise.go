package expr

import (
	"math"
	"math/big"
	"sync"
)

// Functions of doubles that are rounded once, as those of the C library: the ones of package math may be wrong in the last
// digit, which a text shows. They compute with about 100 bits.

// pair is the sum of two doubles, the second less than the last digit of the first.
type pair struct{ high, low float64 }

func pairOf(x float64) pair { return pair{x, 0} }

// twoSum is the exact sum of two doubles.
func twoSum(a, b float64) pair {
	s := a + b
	t := s - a
	return pair{s, (a - (s - t)) + (b - t)}
}

// quickSum is twoSum of a number and one that is not larger.
func quickSum(a, b float64) pair {
	s := a + b
	return pair{s, b - (s - a)}
}

// twoProduct is the exact product of two doubles.
func twoProduct(a, b float64) pair {
	p := a * b
	return pair{p, math.FMA(a, b, -p)}
}

func (a pair) add(b pair) pair {
	s, t := twoSum(a.high, b.high), twoSum(a.low, b.low)
	s = quickSum(s.high, s.low+t.high)
	return quickSum(s.high, s.low+t.low)
}

func (a pair) neg() pair { return pair{-a.high, -a.low} }

func (a pair) times(b pair) pair {
	p := twoProduct(a.high, b.high)
	return quickSum(p.high, p.low+(a.high*b.low+a.low*b.high))
}

func (a pair) over(b pair) pair {
	q := a.high / b.high
	r := a.add(b.times(pairOf(q)).neg())
	q2 := r.high / b.high
	r = r.add(b.times(pairOf(q2)).neg())
	return quickSum(q, q2).add(pairOf(r.high / b.high))
}

// root is the square root of a number that is not negative.
func (a pair) root() pair {
	if a.high <= 0 {
		return pair{}
	}
	x := math.Sqrt(a.high)
	r := a.add(twoProduct(x, x).neg())
	return quickSum(x, r.high/(2*x))
}

func (a pair) value() float64 { return a.high + a.low }

var (
	halfPi = []float64{0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54, -0x1.f1976b7ed8fbcp-110}
	lnTwo  = []float64{0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56, 0x1.7b57a079a1934p-111}
)

// reduced is a number less so many of a constant of three doubles.
func reduced(x pair, n float64, of []float64) pair {
	for _, part := range of {
		x = x.add(twoProduct(n, part).neg())
	}
	return x
}

// largeAngle is from where an angle is reduced with all digits of π.
const largeAngle = 1 << 20

// quadrant is an angle as one between -π/4 and π/4, and the number of quarters that were left out, of which four are none.
func quadrant(x float64) (r pair, n int) {
	if math.Abs(x) < largeAngle {
		quarters := math.RoundToEven(x / halfPi[0])
		return reduced(pairOf(x), quarters, halfPi), int(quarters) & 3
	}
	of := longHalfPi()
	exact := new(big.Float).SetPrec(angleBits).SetFloat64(x)
	quarters, _ := new(big.Float).SetPrec(angleBits).Quo(exact, of).Int(nil)
	rest := new(big.Float).SetPrec(angleBits).SetInt(quarters)
	rest.Sub(exact, rest.Mul(rest, of))
	if f, _ := rest.Float64(); math.Abs(f) > halfPi[0]/2 {
		sign := int64(1)
		if f < 0 {
			sign = -1
		}
		quarters.Add(quarters, big.NewInt(sign))
		rest.Sub(rest, new(big.Float).SetPrec(angleBits).Mul(of, big.NewFloat(float64(sign))))
	}
	high, _ := rest.Float64()
	low, _ := rest.Sub(rest, big.NewFloat(high)).Float64()
	return pair{high, low}, int(new(big.Int).And(quarters, big.NewInt(3)).Int64())
}

// angleBits are enough for the largest double, of 1,024 bits, and its remainder.
const angleBits = 1300

// longHalfPi is half of π by Machin's formula.
var longHalfPi = sync.OnceValue(func() *big.Float {
	one := new(big.Int).Lsh(big.NewInt(1), angleBits)
	inverse := func(n int64) *big.Int { // the arc tangent of 1/n
		sum, term, square := new(big.Int), new(big.Int).Div(one, big.NewInt(n)), big.NewInt(n*n)
		for k := int64(1); term.Sign() != 0; k += 2 {
			part := new(big.Int).Div(term, big.NewInt(k))
			if k&2 != 0 {
				part.Neg(part)
			}
			sum.Add(sum, part)
			term.Div(term, square)
		}
		return sum
	}
	eighth := new(big.Int).Sub(new(big.Int).Lsh(inverse(5), 2), inverse(239)) // a quarter of π
	f := new(big.Float).SetPrec(angleBits).SetInt(eighth)
	return f.SetMantExp(f, 1-angleBits)
})

// terms bounds the terms of a series.
const terms = 40

// smallSine and smallCosine are those of an angle between -π/4 and π/4.
func smallSine(r pair) pair { return alternating(r, r, 2) }

func smallCosine(r pair) pair { return alternating(pairOf(1), r, 1) }

// alternating is the sum of a term, and terms that are each the one before times -r² by the next two numbers.
func alternating(term, r pair, from float64) pair {
	sum, square := term, r.times(r).neg()
	for i := range terms {
		n := from + 2*float64(i)
		term = term.times(square).over(pairOf(n * (n + 1)))
		sum = sum.add(term)
		if math.Abs(term.high) < math.Abs(sum.high)*0x1p-110 {
			break
		}
	}
	return sum
}

// circle is the sine and the cosine of an angle.
func circle(x float64) (sin, cos pair) {
	r, n := quadrant(x)
	s, c := smallSine(r), smallCosine(r)
	switch n {
	case 1:
		return c, s.neg()
	case 2:
		return s.neg(), c.neg()
	case 3:
		return c.neg(), s
	}
	return s, c
}

// ordinary reports whether a number is none of 0, infinite, NaN, or so small that its square is 0.
func ordinary(x float64) bool {
	return math.Abs(x) > 0x1p-500 && math.Abs(x) <= math.MaxFloat64
}

func sine(x float64) float64 {
	if !ordinary(x) {
		return math.Sin(x)
	}
	s, _ := circle(x)
	return s.value()
}

func cosine(x float64) float64 {
	if !ordinary(x) {
		return math.Cos(x)
	}
	_, c := circle(x)
	return c.value()
}

func tangent(x float64) float64 {
	if !ordinary(x) {
		return math.Tan(x)
	}
	s, c := circle(x)
	return s.over(c).value()
}

// arcTangent2 is the angle of a point.
func arcTangent2(y, x float64) float64 {
	if !ordinary(x) || !ordinary(y) {
		return math.Atan2(y, x)
	}
	scale := max(math.Ilogb(x), math.Ilogb(y))
	if min(math.Ilogb(x), math.Ilogb(y)) < scale-400 {
		return math.Atan2(y, x)
	}
	return angle(pairOf(math.Ldexp(y, -scale)), pairOf(math.Ldexp(x, -scale)))
}

// angle is the angle of a point: the library's, and by how much that is beside it.
func angle(y, x pair) float64 {
	guess := math.Atan2(y.high, x.high)
	if !ordinary(guess) {
		return guess
	}
	s, c := circle(guess)
	beside := y.times(c).add(x.times(s).neg()).over(x.times(c).add(y.times(s)))
	return pairOf(guess).add(beside).value()
}

// legs are a sine and the cosine that it has, or the reverse.
func legs(x float64) (a, b pair) {
	return pairOf(x), twoSum(1, -x).times(twoSum(1, x)).root()
}

func arcSine(x float64) float64 {
	if !ordinary(x) || math.Abs(x) >= 1 {
		return math.Asin(x)
	}
	y, w := legs(x)
	return angle(y, w)
}

func arcCosine(x float64) float64 {
	if !ordinary(x) || math.Abs(x) >= 1 {
		return math.Acos(x)
	}
	y, w := legs(x)
	return angle(w, y)
}

// exponentialPair is e to a power, as a number and a power of 2 to multiply it by.
func exponentialPair(x pair) (pair, int) {
	n := math.RoundToEven(x.high / lnTwo[0])
	r := reduced(x, n, lnTwo)
	sum, term := pairOf(1), pairOf(1)
	for i := range terms {
		term = term.times(r).over(pairOf(float64(i + 1)))
		sum = sum.add(term)
		if math.Abs(term.high) < 0x1p-110 {
			break
		}
	}
	return sum, int(n)
}

// largestPower is beyond what e, or less, has a power of as a double.
const largestPower = 750

func exponential(x float64) float64 {
	if math.Abs(x) > largestPower || x != x || x == 0 {
		return math.Exp(x)
	}
	e, n := exponentialPair(pairOf(x))
	return math.Ldexp(e.value(), n)
}

// logarithmPair is the natural logarithm of a number greater than 0.
func logarithmPair(x float64) pair {
	fraction, n := math.Frexp(x)
	if fraction < math.Sqrt2/2 {
		fraction *= 2
		n--
	}
	guess := math.Log(fraction)
	e, shift := exponentialPair(pairOf(-guess))
	e = pair{math.Ldexp(e.high, shift), math.Ldexp(e.low, shift)}
	d := e.times(pairOf(fraction)).add(pairOf(-1)) // 1+d is the number by that which has the guess
	d = d.add(d.times(d).times(pairOf(-0.5)))
	out := pairOf(guess).add(d)
	for _, part := range []float64{lnTwo[0], lnTwo[1]} {
		out = out.add(twoProduct(float64(n), part))
	}
	return out
}

func ln(x float64) float64 {
	if x <= 0 || x > math.MaxFloat64 || x != x {
		return math.Log(x)
	}
	return logarithmPair(x).value()
}

// log10 is the common logarithm, as the C library has it: its last digit may be wrong.
func log10(x float64) float64 {
	if x <= 0 || x > math.MaxFloat64 || x != x {
		return math.Log10(x)
	}
	const (
		perLn = 4.34294481903251816668e-01 // of e
		high  = 3.01029995663611771306e-01 // of 2, its first bits
		low   = 3.69423907715893078616e-13
	)
	fraction, n := math.Frexp(x)
	fraction *= 2
	n--
	if n < 0 {
		fraction /= 2
		n++
	}
	rest := float64(n)*low + perLn*ln(fraction)
	return rest + float64(n)*high
}

// powerOf is x to the power of y.
func powerOf(x, y float64) float64 {
	guess := math.Pow(x, y)
	if x == 0 || y == 0 || !ordinary(guess) || math.Abs(x) > math.MaxFloat64 || math.Abs(y) > math.MaxFloat64 || math.Abs(x) == 1 || math.Abs(y) < 0x1p-500 {
		return guess
	}
	if y > 0 && y <= 64 && y == math.Trunc(y) && x == math.Trunc(x) && math.Abs(x) < 1<<53 {
		exact := new(big.Int).Exp(big.NewInt(int64(x)), big.NewInt(int64(y)), nil)
		out, _ := new(big.Float).SetInt(exact).Float64()
		return out
	}
	exponent := logarithmPair(math.Abs(x)).times(pairOf(y))
	if math.Abs(exponent.high) > largestPower {
		return guess
	}
	e, n := exponentialPair(exponent)
	return math.Copysign(math.Ldexp(e.value(), n), guess)
}
