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

// The rows read in one transaction, and its tries.
const (
	pageRows  = 1000
	pageTries = 20
	pagePause = 50 * time.Millisecond
)

// conditions checks the workload's conditions against all rows, when no client is active any more.
// It returns a description of each violation; a workload without conditions returns none. The rows
// are read page by page, so they are not checked if a transaction is still open after a minute.
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

// readPage reads rows in one transaction. A replica may learn of the last decisions only now, so
// there is a pause before a retry.
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
