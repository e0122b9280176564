package plan

import (
	"fmt"
	"maps"
	"math"
	"slices"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"
)

func copied(values map[string]*expression.Literal) map[string]*expression.Literal {
	out := make(map[string]*expression.Literal, len(values))
	for name, lit := range values { // order: into a map
		own := *lit
		out[name] = &own
	}
	return out
}

// find looks for the parameters that the engine has replaced by literals of its
// own: it analyses the statement once more with other values, and sees which
// literals follow. A parameter that nothing follows has gone into the plan
// itself, which then is not one for other values.
func (p *Prepared) find(ctx *gms.Context, values map[string]*expression.Literal, analyse Analyse) bool {
	var missing []string
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if len(p.slots[name]) == 0 {
			missing = append(missing, name)
		}
	}
	if len(missing) == 0 {
		return true
	}
	other := copied(values)
	for i, name := range missing {
		if other[name] = shifted(ctx, values[name], i+1); other[name] == nil {
			return false
		}
	}
	twin := &Prepared{params: copied(other), slots: map[string][]*expression.Literal{}}
	var err error
	if twin.Root, err = analyse(twin.params); err != nil {
		return false
	}
	unhashed(ctx, twin.Root)
	if twin.Plan = Compile(ctx, twin.Root); twin.Plan == nil {
		return false
	}
	twin.looksThrough(ctx, func(gms.Expression) bool { return true })
	if len(p.literals) != len(twin.literals) {
		return false
	}
	for i, lit := range p.literals {
		if same(lit, twin.literals[i]) {
			continue
		}
		k := slices.IndexFunc(missing, func(name string) bool { return same(lit, values[name]) && same(twin.literals[i], other[name]) })
		if k < 0 || p.baked[lit] {
			return false
		}
		p.slots[missing[k]] = append(p.slots[missing[k]], lit)
	}
	return !slices.ContainsFunc(missing, func(name string) bool { return len(p.slots[name]) == 0 })
}

func same(a, b *expression.Literal) bool { return fmt.Sprint(a.Val) == fmt.Sprint(b.Val) }

// shifted is another value of the same type; no two shifts are alike.
func shifted(ctx *gms.Context, lit *expression.Literal, by int) *expression.Literal {
	switch v := lit.Val.(type) {
	case string:
		return expression.NewLiteral(v+fmt.Sprint(by), lit.Typ)
	case uint64:
		if v > math.MaxInt64 {
			return nil
		}
	}
	n, _, err := types.Int64.Convert(ctx, lit.Val)
	i, ok := n.(int64)
	if err != nil || !ok || i > math.MaxInt64-100 {
		return nil
	}
	for _, other := range []int64{i + int64(by), i - int64(by)} {
		if v, inRange, err := lit.Typ.Convert(ctx, other); err == nil && inRange == gms.InRange {
			return expression.NewLiteral(v, lit.Typ)
		}
	}
	return nil
}
