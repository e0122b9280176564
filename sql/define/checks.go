package define

import (
	"fmt"
	"strings"

	"isochron/sql/catalog"
	"isochron/sql/expr"
)

// checks takes in the CHECK constraints.
func (b *builder) checks() error {
	taken := map[string]bool{}
	for _, c := range b.s.Checks {
		if c.Name != "" && taken[strings.ToLower(c.Name)] {
			return expr.NewError(3822, "HY000", "Duplicate check constraint name '%s'.", c.Name)
		}
		taken[strings.ToLower(c.Name)] = true
	}
	next := 1
	for _, c := range b.s.Checks {
		for ; c.Name == ""; next++ {
			if name := fmt.Sprintf("%s_chk_%d", b.def.Name, next); !taken[strings.ToLower(name)] {
				c.Name = name
			}
		}
		out, err := b.env.checkOf(&c, b.draft)
		if err != nil {
			return err
		}
		b.def.Checks = append(b.def.Checks, out)
	}
	return nil
}

// checkOf is a check with a name as it is stored.
func (env *Env) checkOf(c *Check, d *catalog.Descriptor) (out catalog.Check, err error) {
	out = catalog.Check{Name: c.Name, Enforced: c.Enforced}
	if out.Text, err = env.computed(checkCondition, c.Name, c.Value.Tree, d, nil); err != nil {
		return out, err
	}
	for _, of := range columnsOf(c.Value.Tree) {
		if c.Column != "" && !strings.EqualFold(of.Name.String(), c.Column) {
			return out, expr.NewError(3813, "HY000", "Column check constraint '%s' references other column.", c.Name)
		}
	}
	return out, nil
}
