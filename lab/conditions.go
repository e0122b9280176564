package lab

import (
	"context"
	"fmt"
	"slices"
	"time"

	"isochron/sim"
	"isochron/txn"
	"isochron/workload"
)

// What is read of the rows at a time, and how often that is tried.
const (
	pageRows  = 1000
	pageTries = 20
	pagePause = 50 * time.Millisecond
)

// conditions holds what the workload knows of its rows against all rows, once
// no client is at work any more. It says in words what does not hold; a workload
// that knows nothing has nothing to say. The rows are read page by page, so they
// are not judged if a transaction is still on its way after a minute.
func (r *run) conditions() ([]string, error) {
	knows, ok := r.mix.(workload.Checked)
	if !ok || r.busy > 0 {
		return nil, nil
	}
	var rows []txn.Pair
	var failed error
	reader := r.w.Go(1, func(c *sim.Client) { rows, failed = r.allRows(c) })
	for !reader.Done() {
		if err := r.ctx.Err(); err != nil {
			return nil, err
		}
		r.w.Run(bringUpStep)
	}
	if failed != nil {
		return nil, fmt.Errorf("the rows of the workload could not be read after the run: %w", failed)
	}
	return knows.Check(slices.Values(rows)), nil
}

// allRows reads all rows of the workload, without the numbers of their writes.
func (r *run) allRows(c *sim.Client) (rows []txn.Pair, err error) {
	span := workload.MixSpan()
	for {
		page, err := readPage(r.ctx, c, span)
		if err != nil {
			return nil, err
		}
		for _, p := range page {
			_, p.Value = stamp(p.Value)
			rows = append(rows, p)
		}
		if len(page) < pageRows {
			return rows, nil
		}
		span.Start = page[len(page)-1].Key + "\x00"
	}
}

// readPage reads rows in one transaction. A replica that is read from may learn of the last
// decisions only now, so that there is a pause before it is tried again.
func readPage(ctx context.Context, c *sim.Client, span txn.Span) (page []txn.Pair, err error) {
	for range pageTries {
		t := c.DB().Begin(txn.Options{ReadOnly: true})
		res, err2 := t.Read(ctx, txn.Read{Scans: []txn.Scan{{Span: span, Limit: pageRows}}})
		if err2 == nil {
			err2 = t.Commit(ctx)
		} else {
			t.Rollback()
		}
		if err = err2; err == nil {
			return res.Pairs[0], nil
		}
		c.Sleep(pagePause)
	}
	return nil, err
}
