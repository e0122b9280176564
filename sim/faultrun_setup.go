package sim

import (
	"context"
	"errors"
	"time"

	"isochron/txn"
)

// setupTries bounds the tries to open the accounts: an impatient node may abort the first, if it
// does not learn the other votes. Where a decision is logged before it is sent, it may abort every
// one: after this many tries the accounts are opened one by one.
const (
	setupTries      = 5
	setupTriesWhole = 3
)

// setup opens the accounts before any fault.
func (h *faultRun) setup() bool {
	failed := h.opened(func(failed error) bool { return txn.KindOf(failed) == txn.KindAborted }, 100*time.Millisecond, h.bank.Setup, h.bank.SetupEach)
	if failed != nil {
		h.violation("no-setup", "the accounts cannot be opened without a fault: %v", failed)
	}
	return failed == nil
}

// opening opens accounts.
type opening func(context.Context, txn.DB) error

// opened opens accounts together, or one by one. Impatient nodes may abort each attempt before it
// is decided, or query each other without end: if no try succeeds, all nodes get the regular
// time-outs. Opening is idempotent.
func (h *faultRun) opened(again func(failed error) bool, pause time.Duration, whole, each opening) error {
	failed := h.triesToOpen(again, pause, whole, each)
	if kind := txn.KindOf(failed); h.timers == nil || kind != txn.KindAborted && kind != txn.KindUnknown {
		return failed
	}
	h.timers.end(h.w.hosts)
	for _, host := range h.w.hosts {
		host.restart()
	}
	h.w.RunUntil(readWait, h.w.Ready)
	return h.triesToOpen(again, pause, whole, each)
}

// triesToOpen repeats the opening within a bound of tries.
func (h *faultRun) triesToOpen(again func(failed error) bool, pause time.Duration, whole, each opening) (failed error) {
	c := h.w.Go(1, func(c *Client) {
		for try := range setupTries {
			open := whole
			if try >= setupTriesWhole {
				open = each
			}
			if failed = open(context.Background(), c.DB()); failed == nil || !again(failed) {
				return
			}
			c.Sleep(time.Duration(try+1) * pause)
		}
	})
	if !h.w.RunUntil(readWait, c.Done) {
		return errors.New("no answer")
	}
	return failed
}
