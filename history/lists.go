package history

import (
	"fmt"
	"slices"
)

// lists is the state of CheckLists.
type lists struct {
	*dependencies
	writer map[element]*Record // of every append, successful or not
	order  map[string][]int64  // the versions of each key: the longest list read
	keys   []string            // of order, in the order first seen
	final  map[string]bool     // keys read by a Final record
}

// CheckLists checks a list-append history. A snapshot read is checked against
// the writers only: it must be a cut of their order. It need not agree
// with real time beyond that, nor with what read-only transactions have seen.
func CheckLists(h *History) *Report {
	c := &lists{
		dependencies: newDependencies(h, "appended"),
		writer:       map[element]*Record{}, order: map[string][]int64{}, final: map[string]bool{},
	}
	c.collectAppends()
	c.collectOrders()
	c.checkOrders()
	c.checkReads()
	c.checkKept()
	checkSnapshotReads(h, c.report, Append, ReadList)
	c.addEdges()
	return c.judge()
}

func (c *lists) collectAppends() {
	for _, r := range c.h.Records {
		for _, op := range r.Ops {
			if op.Kind != Append {
				continue
			}
			e := element{op.Key, op.Value}
			if other := c.writer[e]; other != nil {
				c.report.add("bad-history", "%s and %s both append %d to %s", other, r, op.Value, op.Key)
			}
			c.writer[e] = r
		}
	}
}

// eachRead calls f for every list that a committed transaction read before its
// own first append to that key, and inner for those it read after that.
func (c *lists) eachRead(f, inner func(r *Record, op Op)) {
	for _, r := range c.h.Records {
		if r.Outcome != OK {
			continue // reads of an uncommitted transaction have no guarantee
		}
		touched := map[string]bool{}
		for _, op := range r.Ops {
			switch {
			case op.Kind == Append:
				touched[op.Key] = true
			case op.Kind == ReadList && touched[op.Key]:
				if inner != nil {
					inner(r, op)
				}
			case op.Kind == ReadList:
				f(r, op)
			}
		}
	}
}

// collectOrders uses the longest list read of each key as its version order.
func (c *lists) collectOrders() {
	longest := func(r *Record, op Op) {
		have, seen := c.order[op.Key]
		if !seen {
			c.keys = append(c.keys, op.Key)
		}
		if !seen || len(op.List) > len(have) {
			c.order[op.Key] = op.List
		}
		if r.Final {
			c.final[op.Key] = true
		}
	}
	c.eachRead(longest, longest)
}

// checkOrders checks that an order has each element once, and only elements that
// were appended and not rolled back.
func (c *lists) checkOrders() {
	for _, key := range c.keys {
		seen := map[int64]bool{}
		for _, v := range c.order[key] {
			if seen[v] {
				c.report.add("duplicate-append", "%d is twice in %s = %v", v, key, c.order[key])
			}
			seen[v] = true
		}
	}
}

// checkReads checks that every read is a prefix of its key's order and shows nothing of an
// aborted or unfinished transaction, and that a transaction sees its own appends.
func (c *lists) checkReads() {
	c.eachRead(func(r *Record, op Op) {
		c.checkPrefix(r, op)
		c.checkSources(r, op)
	}, c.checkPrefix)
	for _, r := range c.h.Records {
		if r.Outcome == OK {
			c.checkOwn(r)
		}
	}
}

func (c *lists) checkPrefix(r *Record, op Op) {
	order := c.order[op.Key]
	for i, v := range op.List {
		if order[i] != v {
			c.report.add("incompatible-order", "%s read %s = %v, but another read it as %v", r, op.Key, op.List, order)
			return
		}
	}
}

func (c *lists) checkSources(r *Record, op Op) {
	for i, v := range op.List {
		w := c.writer[element{op.Key, v}]
		switch {
		case w == nil:
			c.report.add("invented-element", "%s read %d in %s, which no transaction appended", r, v, op.Key)
		case w.Outcome == Fail:
			c.report.add("G1a", "%s read %d in %s, appended by %s, which did not commit", r, v, op.Key, w)
		case w != r && i == len(op.List)-1 && v != lastAppend(w, op.Key):
			c.report.add("G1b", "%s read %s up to %d, the middle of what %s appended", r, op.Key, v, w)
		}
	}
}

func lastAppend(r *Record, key string) (value int64) {
	for _, op := range r.Ops {
		if op.Kind == Append && op.Key == key {
			value = op.Value
		}
	}
	return value
}

// checkOwn checks that, after its first read of a key, a transaction's next read of it
// shows the same and its own appends since.
func (c *lists) checkOwn(r *Record) {
	known := map[string][]int64{}
	for _, op := range r.Ops {
		have, looked := known[op.Key]
		switch {
		case op.Kind == Append && looked:
			known[op.Key] = append(slices.Clone(have), op.Value)
		case op.Kind == ReadList:
			if looked && !slices.Equal(have, op.List) {
				c.report.add("internal", "%s read %s = %v where its own steps give %v", r, op.Key, op.List, have)
			}
			known[op.Key] = op.List
		}
	}
}

// checkKept checks that acknowledged appends are present at the end, and that a transaction with
// unknown outcome is present completely or not at all.
func (c *lists) checkKept() {
	present := map[element]bool{}
	for _, key := range c.keys {
		for _, v := range c.order[key] {
			present[element{key, v}] = true
		}
	}
	for _, r := range c.h.Records {
		found, missing := 0, ""
		for _, op := range r.Ops {
			if op.Kind != Append || !c.final[op.Key] {
				continue
			}
			if present[element{op.Key, op.Value}] {
				found++
			} else {
				missing = fmt.Sprintf("%d in %s", op.Value, op.Key)
			}
		}
		if missing == "" {
			continue
		}
		if r.Outcome == OK {
			c.report.add("lost-append", "%s was acknowledged, and at the end %s is missing", r, missing)
		} else if r.Outcome == Unknown && found > 0 {
			c.report.add("torn-commit", "%s is there in part: %s is missing", r, missing)
		}
	}
}

// addEdges adds the dependencies that the orders and reads prove.
func (c *lists) addEdges() {
	for _, key := range c.keys {
		order := c.order[key]
		for i := 1; i < len(order); i++ {
			c.edge(ww, c.writer[element{key, order[i-1]}], c.writer[element{key, order[i]}], key, order[i])
		}
	}
	c.eachRead(func(r *Record, op Op) {
		order, n := c.order[op.Key], len(op.List)
		if n > 0 {
			c.edge(wr, c.writer[element{op.Key, op.List[n-1]}], r, op.Key, op.List[n-1])
		}
		if n < len(order) && slices.Equal(order[:n], op.List) {
			c.edge(rw, r, c.writer[element{op.Key, order[n]}], op.Key, order[n])
		}
	}, nil)
}
