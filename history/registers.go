package history

// registers is the state of CheckRegisters.
type registers struct {
	*dependencies
	writer map[element]*Record // of every put, successful or not
	// counts, by index: certainly committed, acknowledged or seen by a record that counts.
	counts []bool
	keys   []string // written keys, in the order first seen
	orders map[string]*order
}

// CheckRegisters checks a history of Get and Put. The versions of a key are
// ordered by the timestamps of their commits (Record.At) where these are known, and
// by transactions that read one version and wrote another, which is the next. A version
// with neither is ordered only after the initial value.
//
// A record with unknown outcome counts if a record that counts has read its
// write: then it is committed. Time and memory are proportional to the history.
func CheckRegisters(h *History) *Report {
	c := &registers{
		dependencies: newDependencies(h, "wrote"),
		writer:       map[element]*Record{}, counts: make([]bool, len(h.Records)), orders: map[string]*order{},
	}
	c.collectPuts()
	c.findCommitted()
	for _, r := range h.Records {
		if c.counts[r.Index] {
			c.checkReads(r)
			c.collectVersions(r)
		}
	}
	for _, key := range c.keys {
		c.settle(c.orders[key])
	}
	c.addEdges()
	return c.judge()
}

func (c *registers) collectPuts() {
	for _, r := range c.h.Records {
		for _, op := range r.Ops {
			if op.Kind != Put {
				continue
			}
			e := element{op.Key, op.Value}
			if other := c.writer[e]; other != nil {
				c.report.add("bad-history", "%s and %s both write %d to %s", other, r, op.Value, op.Key)
			} else if op.Value == 0 {
				c.report.add("bad-history", "%s writes 0 to %s, which represents the initial value", r, op.Key)
			}
			c.writer[e] = r
			if c.orders[op.Key] == nil {
				c.orders[op.Key] = newOrder(op.Key)
				c.keys = append(c.keys, op.Key)
			}
		}
	}
}

// findCommitted follows reads from the acknowledged records.
func (c *registers) findCommitted() {
	var queue []*Record
	count := func(r *Record) {
		if !c.counts[r.Index] {
			c.counts[r.Index] = true
			queue = append(queue, r)
		}
	}
	for _, r := range c.h.Records {
		if r.Outcome == OK {
			count(r)
		}
	}
	for len(queue) > 0 {
		r := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		for _, op := range r.Ops {
			if op.Kind != Get {
				continue
			}
			if w := c.writer[element{op.Key, op.Value}]; w != nil && w.Outcome == Unknown {
				count(w)
			}
		}
	}
}

// checkReads checks that a value was written by a committed transaction and is its last write of
// the key, and that a transaction sees its own writes and no changes by others.
func (c *registers) checkReads(r *Record) {
	known := map[string]int64{}
	for _, op := range r.Ops {
		if op.Kind != Get && op.Kind != Put {
			continue
		}
		have, looked := known[op.Key]
		known[op.Key] = op.Value
		switch {
		case op.Kind == Put:
		case looked && have != op.Value:
			c.report.add("internal", "%s read %d in %s where its own steps give %d", r, op.Value, op.Key, have)
		case !looked:
			c.checkSource(r, op)
		}
	}
}

func (c *registers) checkSource(r *Record, op Op) {
	if op.Value == 0 {
		return
	}
	w := c.writer[element{op.Key, op.Value}]
	switch {
	case w == nil:
		c.report.add("invented-value", "%s read %d in %s, which no transaction wrote", r, op.Value, op.Key)
	case w.Outcome == Fail:
		c.report.add("G1a", "%s read %d in %s, written by %s, which did not commit", r, op.Value, op.Key, w)
	case w != r && op.Value != lastPut(w, op.Key):
		c.report.add("G1b", "%s read %d in %s, which %s wrote in passing, before it wrote %d", r, op.Value, op.Key, w, lastPut(w, op.Key))
	}
}

func lastPut(r *Record, key string) (value int64) {
	for _, op := range r.Ops {
		if op.Kind == Put && op.Key == key {
			value = op.Value
		}
	}
	return value
}

// collectVersions records for each key the version that a committed record left there,
// and the one it had read there before it wrote.
func (c *registers) collectVersions(r *Record) {
	had := map[string]int64{}
	put := map[string]int64{} // the last one, by key
	var keys []string
	for _, op := range r.Ops {
		_, written := put[op.Key]
		switch {
		case op.Kind == Get && !written:
			if _, read := had[op.Key]; !read {
				had[op.Key] = op.Value
			}
		case op.Kind == Put:
			if !written {
				keys = append(keys, op.Key)
			}
			put[op.Key] = op.Value
		}
	}
	for _, key := range keys {
		v := &version{value: put[key], by: r, at: r.At}
		v.after, v.read = had[key]
		c.orders[key].add(v)
	}
}

// addEdges adds the dependencies that the orders and reads prove.
func (c *registers) addEdges() {
	for _, key := range c.keys {
		o := c.orders[key]
		for _, v := range o.versions {
			for _, next := range o.next[v.value] {
				c.edge(ww, v.by, next.by, key, next.value)
			}
		}
	}
	for _, r := range c.h.Records {
		if c.counts[r.Index] {
			c.addReads(r)
		}
	}
}

func (c *registers) addReads(r *Record) {
	own := map[string]bool{}
	for _, op := range r.Ops {
		switch {
		case op.Kind == Put:
			own[op.Key] = true
		case op.Kind == Get && !own[op.Key]:
			c.edge(wr, c.writer[element{op.Key, op.Value}], r, op.Key, op.Value)
			o := c.orders[op.Key]
			if o == nil {
				continue // not written in this history
			}
			for _, next := range o.next[op.Value] {
				c.edge(rw, r, next.by, op.Key, next.value)
				if r.Final && r.Outcome == OK {
					c.report.add("lost-write", "%s is committed, and at the end %s holds %d, which was there before its %d", next.by, op.Key, op.Value, next.value)
				}
			}
		}
	}
}
