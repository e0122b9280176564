package sim

import (
	"context"
	"strings"
	"time"

	"isochron/history"
	"isochron/txn"
	"isochron/workload"
)

// startClients starts two clients of the bank and two of the lists at every node, and, if there are
// registers, one of these.
func (h *faultRun) startClients(ends time.Duration) []*Client {
	h.ends = ends
	h.drawPriorities()
	var all []*Client
	for i, host := range h.w.hosts {
		all = append(all, h.w.Go(host.id, func(c *Client) { h.lookBack(c) }))
		for range 2 {
			all = append(all,
				h.w.Go(host.id, func(c *Client) { h.work(c, &h.banking, h.bank.Step) }),
				h.w.Go(host.id, func(c *Client) { h.work(c, &h.listing, h.lists.Step) }))
		}
		if h.blind.Count > 0 {
			all = append(all, h.w.Go(host.id, func(c *Client) { h.work(c, &h.listing, h.blind.Step) }))
		}
		if h.lists.Duels {
			oneOf := 2 // a transaction far from both leaders may arrive late at both
			if h.lists.DuelsAt(i) {
				oneOf = 6
			}
			for range 2 {
				all = append(all, h.w.Go(host.id, func(c *Client) {
					h.work(c, &h.listing, func(ctx context.Context, wc *workload.Client) { h.lists.Duel(ctx, wc, oneOf) })
				}))
			}
		}
		if h.hot {
			all = append(all, h.w.Go(host.id, func(c *Client) { h.work(c, &h.listing, h.lists.Rush) }),
				h.w.Go(host.id, func(c *Client) { h.work(c, &h.listing, h.lists.Rush) }))
		}
	}
	return all
}

// drawPriorities makes clients of some seeds begin some transactions with high priority.
func (h *faultRun) drawPriorities() {
	draws := stream(h.w.cfg.Seed, streamPriorities)
	if draws.IntN(3) > 0 {
		return
	}
	odds := 2 + draws.IntN(8)
	h.priorities = func() txn.Priority {
		if draws.IntN(odds) > 0 {
			return txn.PriorityLow
		}
		h.n.counts["transactions of high priority"]++
		return txn.PriorityHigh
	}
}

func (h *faultRun) work(c *Client, record *history.History, step func(context.Context, *workload.Client)) {
	wc := c.workload(record)
	wc.Priority = h.priorities
	wc.FixedSet = h.fixedSet
	wc.Record = func(r *history.Record) {
		if r.Outcome == history.OK && r.Writes() {
			h.writes++
		}
		record.Add(r)
	}
	for h.mayProceed(c) {
		step(context.Background(), wc)
		c.Sleep(time.Duration(c.Rand().Int64N(int64(2 * faultRunUnit))))
	}
}

// lookedBack names the kinds of snapshot reader in the counts.
var lookedBack = map[bool]string{false: "reads at a timestamp: ", true: "repeatable reads: "}

// lookBack reads the bank and the lists alternately as of read timestamps.
func (h *faultRun) lookBack(c *Client) {
	for turn := 0; c.Elapsed() < h.ends; turn++ {
		record, read := &h.banking, h.bank.ReadAsOf
		if c.Rand().IntN(3) == 0 {
			record, read = &h.listing, h.lists.ReadAsOf
		}
		wc := c.workload(record)
		wc.Ahead, wc.Repeatable = h.n.biased.looksAhead(), turn%2 == 1 && !h.never
		wc.Record = func(r *history.Record) {
			h.n.counts[lookedBack[wc.Repeatable]+string(r.Outcome)]++
			if strings.Contains(r.Reason, "garbage-collected") {
				h.n.counts["reads at a timestamp that was too old"]++
			}
			record.Add(r)
		}
		read(context.Background(), wc)
		c.Sleep(time.Duration(c.Rand().Int64N(int64(2 * faultRunUnit))))
	}
}

// workload returns the client in the form that package workload expects.
func (c *Client) workload(record *history.History) *workload.Client {
	return &workload.Client{
		Process: c.id, DB: c.DB(), Env: c, Rand: c.rand, Record: record.Add, Pause: faultRunUnit / 4, Tries: 6,
	}
}

func allDone(clients []*Client) bool {
	for _, c := range clients {
		if !c.Done() {
			return false
		}
	}
	return true
}
