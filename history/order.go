package history

import (
	"cmp"
	"slices"
)

// version is the value that a committed record left in a key.
type version struct {
	value int64
	by    *Record
	at    int64 // 0: unknown
	after int64 // the value it had read there, if read
	read  bool
}

// order is the known order of a key's versions.
type order struct {
	key      string
	versions []*version
	byValue  map[int64]*version
	// next are the known successors of a version: the next by time, and those
	// of transactions that read it. For value 0: the first ones.
	next map[int64][]*version
}

// nextMax bounds the known successors of a version. There is more than one
// only if updates were lost, or if the order is unknown.
const nextMax = 32

func newOrder(key string) *order {
	return &order{key: key, byValue: map[int64]*version{}, next: map[int64][]*version{}}
}

func (o *order) add(v *version) {
	o.versions = append(o.versions, v)
	o.byValue[v.value] = v
}

func (o *order) follows(before int64, v *version) {
	if list := o.next[before]; len(list) < nextMax && !slices.Contains(list, v) && before != v.value {
		o.next[before] = append(list, v)
	}
}

// settle orders a key's versions. Timestamps that contradict reads
// are reported, and then ignored.
func (c *registers) settle(o *order) {
	timed := slices.DeleteFunc(slices.Clone(o.versions), func(v *version) bool { return v.at == 0 })
	slices.SortStableFunc(timed, func(a, b *version) int { return cmp.Compare(a.at, b.at) })
	if !c.agree(o, timed) {
		timed = nil
	}
	known := map[*version]bool{}
	before := int64(0)
	for _, v := range timed {
		o.follows(before, v)
		before, known[v] = v.value, true
	}
	for _, v := range o.versions {
		if v.read && v.after != v.value {
			o.follows(v.after, v)
		} else if !known[v] {
			o.follows(0, v)
		}
	}
}

// agree reports whether the timestamps of a key differ, and rise from each version
// that was read to the one that its reader wrote. It reports the first violation.
func (c *registers) agree(o *order, timed []*version) bool {
	for i := 1; i < len(timed); i++ {
		if a, b := timed[i-1], timed[i]; a.at == b.at {
			c.report.add("incompatible-order", "%s and %s both wrote %s, %d and %d, at the timestamp %d", a.by, b.by, o.key, a.value, b.value, a.at)
			return false
		}
	}
	base := o.bases()
	for _, v := range timed {
		if b := base[v.after]; v.read && b != nil && b.at >= v.at && b != v {
			c.report.add("incompatible-order", "%s wrote %d to %s at the timestamp %d after it had read %d, which depends on %d of %s, of the later timestamp %d",
				v.by, v.value, o.key, v.at, v.after, b.value, b.by, b.at)
			return false
		}
	}
	return true
}

// bases returns, for each version, the last version with a timestamp that it derives from
// by reading and writing: itself, if it has one; nil if there is none.
func (o *order) bases() map[int64]*version {
	base := make(map[int64]*version, len(o.versions))
	for _, v := range o.versions {
		var path []int64
		var found *version
		for at := v; at != nil; at = o.byValue[at.after] {
			b, been := base[at.value]
			if been {
				found = b
				break
			}
			base[at.value] = nil // a cycle ends here
			path = append(path, at.value)
			if at.at != 0 {
				found = at
				break
			}
			if !at.read {
				break
			}
		}
		for _, value := range path {
			base[value] = found
		}
	}
	return base
}
