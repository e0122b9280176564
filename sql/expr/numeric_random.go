package expr

import (
	"math/rand/v2"

	"vitess.io/vitess/go/sqltypes"
)

func init() {
	register(&Function{Name: "RAND", Min: 0, Max: 1, Type: doubleType, Nulls: true, Volatile: true, Eval: random})
}

// generator is MySQL's generator of random numbers: a seed gives the same numbers as there.
type generator struct{ a, b uint64 }

// generatorRange bounds the numbers of a generator.
const generatorRange = 0x3fffffff

func newGenerator(seed uint32) *generator {
	return &generator{uint64(seed*0x10001+55555555) % generatorRange, uint64(seed*0x10000001) % generatorRange}
}

func (g *generator) next() float64 {
	g.a = (g.a*3 + g.b) % generatorRange
	g.b = (g.a + g.b + 33) % generatorRange
	return float64(g.a) / generatorRange
}

// random is RAND: a constant seed begins a sequence over the rows, another begins one at each row.
func random(c *Call) (Value, error) {
	if len(c.Args) == 0 {
		return Double(rand.Float64()), nil
	}
	if g, ok := c.State.(*generator); ok && c.Constant[0] {
		return Double(g.next()), nil
	}
	seed := uint32(0)
	if !c.IsNull(0) {
		seed = uint32(c.Integer(0))
		if sqltypes.IsUnsigned(c.Args[0].Type()) {
			seed = uint32(c.Bits(0))
		}
	}
	g := newGenerator(seed)
	c.State = g
	return Double(g.next()), nil
}
