package sim

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"isochron/txn"
)

// judge compares the rows with the outcomes that the clients received.
func (c *hotCrowd) judge() {
	c.t.Helper()
	rows, own := c.read()
	at := map[int]int{} // positions in the rows, by member
	for _, row := range rows {
		for place, id := range members(row) {
			if _, twice := at[id]; twice {
				c.fail("member %d is in the rows twice: %q", id, rows)
			}
			at[id] = place
		}
	}
	for _, m := range c.members {
		_, in := at[m.id]
		wrote := own[m.id-1]
		switch {
		case in != (wrote != ""):
			c.fail("torn: the rows are %q, and the row of member %d itself is %q", rows, m.id, wrote)
		case in && wrote != m.wrote:
			c.fail("member %d wrote %q, and its row has %q", m.id, m.wrote, wrote)
		case in && !strings.HasPrefix(rows[m.id%len(rows)]+",", wrote+","):
			c.fail("the order of the chain differs from the order of the versions: member %d wrote %q, and the row is now %q", m.id, wrote, rows)
		case in && m.answer == "not committed", !in && m.answer == "committed":
			c.fail("member %d received %s (%v), and the rows are %q", m.id, m.answer, m.reason, rows)
		case m.answer == "unknown" && !c.down[m.at]:
			c.fail("member %d received no outcome (%v), and its node is up", m.id, m.reason)
		}
	}
	if late := c.w.unanswered(); len(late) > 0 {
		c.fail("%s", late[0])
	}
	c.judgeSnapshotReads(rows)
}

// judgeSnapshotReads checks that the commit timestamps rise along the chain, and that at each of
// them the row has its writer's value.
func (c *hotCrowd) judgeSnapshotReads(rows []string) {
	c.t.Helper()
	last := map[txn.Key]*crowdMember{}
	for _, m := range c.inOrder() {
		key := c.rowOf(m)
		if before := last[key]; before != nil && m.commitAt <= before.commitAt {
			c.fail("member %d follows %d, and committed at %v, no later than %v", m.id, before.id, m.commitAt, before.commitAt)
		}
		last[key] = m
		then := ""
		c.try("snapshot read", 1, func(tx txn.Txn) error {
			got, err := tx.Read(context.Background(), txn.Read{Gets: []txn.Key{key}})
			if err == nil {
				then = string(got.Values[0])
			}
			return err
		}, txn.Options{AsOf: m.commitAt})
		if then != m.wrote {
			c.fail("at the commit of member %d the row was %q, and it had written %q (now %q)", m.id, then, m.wrote, rows)
		}
	}
}

// inOrder returns the members with a known commit timestamp, in the order of the chain.
func (c *hotCrowd) inOrder() []*crowdMember {
	var out []*crowdMember
	for _, m := range c.members {
		if m.answer == "committed" && m.commitAt != 0 {
			out = append(out, m)
		}
	}
	slices.SortFunc(out, func(a, b *crowdMember) int { return len(a.wrote) - len(b.wrote) })
	return out
}

// members returns the numbers in a row, in their order, without the opener's.
func members(row string) []int {
	var out []int
	for _, part := range strings.Split(row, ",")[1:] {
		if id, err := strconv.Atoi(part); err == nil && id != 0 {
			out = append(out, id)
		}
	}
	return out
}

// read returns all the hot rows, and the rows of the members, from one transaction.
func (c *hotCrowd) read() (rows, own []string) {
	c.t.Helper()
	r := txn.Read{}
	hot := 1
	if c.plan.spec.Yield.Batches {
		hot = crowdRows
	}
	for i := range hot {
		r.Gets = append(r.Gets, hotKey(i))
	}
	for _, m := range c.members {
		r.Gets = append(r.Gets, c.ownKey(m))
	}
	c.try("last reading", c.node(1), func(tx txn.Txn) error {
		got, err := tx.Read(context.Background(), r)
		rows, own = nil, nil
		for i, v := range got.Values {
			if i < hot {
				rows = append(rows, string(v))
			} else {
				own = append(own, string(v))
			}
		}
		if err == nil {
			err = tx.Commit(context.Background())
		}
		return err
	}, txn.Options{})
	return rows, own
}

// proceed checks that the row can be written again.
func (c *hotCrowd) proceed() {
	c.t.Helper()
	c.write("write after all", c.node(c.plan.replicas-1), func(tx txn.Txn) { tx.Put(hotKey(0), []byte("over")) })
}

func (c *hotCrowd) write(what string, at txn.NodeID, f func(txn.Txn)) {
	c.t.Helper()
	c.try(what, at, func(tx txn.Txn) error {
		f(tx)
		return tx.Commit(context.Background())
	}, txn.Options{})
}

// try runs a transaction until it succeeds, a few times at most.
func (c *hotCrowd) try(what string, at txn.NodeID, f func(txn.Txn) error, opt txn.Options) {
	c.t.Helper()
	var err error
	cl := c.w.Go(at, func(cl *Client) {
		for range 20 {
			tx := cl.DB().Begin(opt)
			if err = f(tx); err == nil {
				return
			}
			tx.Rollback()
			cl.Sleep(50 * time.Millisecond)
		}
	})
	c.await(what, cl.Done)
	if err != nil {
		c.fail("a %s failed 20 times: %v", what, err)
	}
}
