package change

import (
	"slices"

	"isochron/sql/bind"
)

// Reach is a round that foreign keys may cost.
type Reach struct {
	Tables  []string
	Parents bool // else children
	Level   int  // of children, from 1
	Rows    bool // behind the entries of the round before
}

// Reaches are the rounds that foreign keys may cost a change, in their order; weak: see Env.
func (p *Plan) Reaches(weak bool) (out []Reach) {
	if len(p.parts) > 0 {
		for _, part := range p.parts {
			out = append(out, part.Reaches(weak)...)
		}
		return out
	}
	if p.related == nil {
		return nil
	}
	deletes := p.Kind == bind.Deletes || p.Kind == bind.Replaces
	level := toReach(p.related.children, deletes)
	seen := map[*relation]bool{}
	for n := 1; len(level) > 0 && n < cascadesMax; n++ {
		all, behind := Reach{Level: n}, Reach{Level: n, Rows: true}
		var next []reached
		for _, one := range level {
			all.add(one.r.child)
			if one.does == restricts {
				continue
			}
			if !one.r.ofChild.index.Primary {
				behind.add(one.r.child)
			}
			if !seen[one.r] {
				seen[one.r] = true
				next = append(next, one.further()...)
			}
		}
		out = append(out, all)
		if len(behind.Tables) > 0 {
			out = append(out, behind)
		}
		level = next
	}
	return append(out, p.parentReaches(weak)...)
}

// reached is a relation by which children are reached, and what becomes of them when their parents are deleted, or updated.
type reached struct {
	r       *relation
	does    action
	deletes bool
}

func toReach(list []*relation, deletes bool) (out []reached) {
	for _, r := range list {
		does := r.onUpdate
		if deletes {
			does = r.onDelete
		}
		out = append(out, reached{r, does, deletes})
	}
	return out
}

// further are the relations by which the children have children that it concerns.
func (o reached) further() []reached {
	gone := o.deletes && o.does == cascades
	unmoved := func(next *relation) bool {
		return !gone && !slices.ContainsFunc(next.refers, func(pos int) bool { return slices.Contains(o.r.columns, pos) })
	}
	return toReach(slices.DeleteFunc(slices.Clone(o.r.child.children), unmoved), gone)
}

func (p *Plan) parentReaches(weak bool) (out []Reach) {
	all, behind := Reach{Parents: true}, Reach{Parents: true, Rows: true}
	for _, r := range p.related.parents {
		if r.parent == nil {
			continue
		}
		all.add(r.parent)
		if weak && !r.ofParent.index.Primary {
			behind.add(r.parent)
		}
	}
	for _, one := range []Reach{all, behind} {
		if len(one.Tables) > 0 {
			out = append(out, one)
		}
	}
	return out
}

func (r *Reach) add(t *related) {
	if name := t.table.Name(); !slices.Contains(r.Tables, name) {
		r.Tables = append(r.Tables, name)
	}
}
