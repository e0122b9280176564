package shop

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"isochron/geo"
)

// Recorder receives the clients' results. It is called by many goroutines.
type Recorder interface {
	// Commit: home means that every row was led from the client's own region.
	Commit(region geo.Region, home bool, took time.Duration)
	// Abort: the transaction lost to another; it is tried again.
	Abort(region geo.Region)
	// Unknown: the outcome of a commit is unknown.
	Unknown(region geo.Region)
}

// In every hundred transactions so many are of each kind; the rest are orders
// of a home customer that touch nothing elsewhere.
const (
	percentPurchases = 6
	percentTransfers = 4
)

// pace is the least time between the beginnings of two transactions of one client: the load is for
// demonstration, not to fill the machine.
const pace = 250 * time.Millisecond

// txnTimeout is the time a client waits for one transaction before it considers the database broken.
// The database itself answers much sooner.
const txnTimeout = time.Minute

// Crowd is the clients of all regions.
type Crowd struct {
	DBs     map[geo.Region]*sql.DB
	Regions []geo.Region
	Clients int // of each region
	Record  Recorder
}

// Run works until ctx ends, and lets every transaction under way come to its
// end. It returns early with the first error that is no part of life.
func (c Crowd) Run(ctx context.Context) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var wg sync.WaitGroup
	var once sync.Once
	var first error
	for _, region := range c.Regions {
		for range c.Clients {
			wg.Go(func() {
				if err := c.work(ctx, region); err != nil {
					once.Do(func() { first = fmt.Errorf("a client in %s: %w", region, err) })
					stop(err)
				}
			})
		}
	}
	wg.Wait()
	return first
}

// work is the life of one client.
func (c Crowd) work(ctx context.Context, region geo.Region) error {
	me := &client{crowd: c, region: region, db: c.DBs[region], rand: rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64()))}
	for {
		begun := time.Now()
		if err := me.one(ctx); err != nil {
			return err
		}
		// Between half and one and a half times the pace, so that clients do not march in step.
		left := pace/2 + time.Duration(me.rand.Int64N(int64(pace))) - time.Since(begun)
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(left):
		}
	}
}

// client is one customer's browser.
type client struct {
	crowd  Crowd
	region geo.Region
	db     *sql.DB
	rand   *rand.Rand
}

// errTriedEnough is a transaction that lost again and again.
var errTriedEnough = errors.New("a transaction was aborted by conflicts too many times in a row")

// one does one transaction, again if it loses.
func (c *client) one(ctx context.Context) error {
	body, isHome := c.choose()
	for range triesMax {
		begun := time.Now()
		err := c.inTransaction(ctx, body)
		switch of(err) {
		case committed:
			c.crowd.Record.Commit(c.region, isHome, time.Since(begun))
			return nil
		case unknown:
			c.crowd.Record.Unknown(c.region)
			return nil
		case lost:
			c.crowd.Record.Abort(c.region)
		default:
			return err
		}
		if ctx.Err() != nil {
			return nil
		}
	}
	return errTriedEnough
}

// inTransaction does one try. A transaction that has begun is completed: a stop is between
// transactions.
func (c *client) inTransaction(ctx context.Context, body func(context.Context, *sql.Tx) error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), txnTimeout)
	defer cancel()
	tx, err := c.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := body(ctx, tx); err != nil {
		// The first error is the one to report; a connection that cannot roll back is dropped by the driver.
		_ = tx.Rollback()
		return err
	}
	return tx.Commit()
}

func (c *client) choose() (body func(context.Context, *sql.Tx) error, isHome bool) {
	switch n := c.rand.IntN(100); {
	case n < percentPurchases:
		return c.newPurchase(true), false
	case n < percentPurchases+percentTransfers && len(c.crowd.Regions) > 1:
		return c.newTransfer(), false
	}
	return c.newPurchase(false), true
}
