package server

import (
	"context"
	"slices"
	"testing"
	"time"

	"isochron/protocol"
	"isochron/txn"
)

// Under a protocol that votes on 2FI transactions while they are read, an update takes one round if its writes
// are known, and one round of reads and one of votes otherwise. Both count, as does one that turns out to be
// unsuitable and continues on its own. On a busy machine one may arrive after its arrival time and be refused;
// it is then retried, which is not another round.
func TestFixedSetUpdatesOverNodes(t *testing.T) {
	spec, err := protocol.LiveByName("natto-recsf")
	if err != nil {
		t.Fatal(err)
	}
	cfg := testConfig(t, t.TempDir(), spec)
	c := startTest(t, cfg)
	defer closeTest(t, c)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	keys := []txn.Key{counter()}
	plus := func(values [][]byte) ([]txn.Write, bool) {
		return []txn.Write{{Key: counter(), Value: append(slices.Clone(values[0]), '+')}}, true
	}
	for _, want := range []struct {
		fixedSet []txn.Key
		rounds   []txn.RoundKind
	}{{keys, []txn.RoundKind{txn.RoundPrepare}}, {nil, []txn.RoundKind{txn.RoundLock, txn.RoundPrepare}}} {
		for _, r := range cfg.WAN.Regions {
			var tx txn.Txn
			var done bool
			err := unlessAborted(ctx, func() (err error) {
				tx = c.DB(r).Begin(txn.Options{Priority: txn.PriorityHigh})
				done, err = tx.(txn.Updater).Update(ctx, txn.Read{Gets: keys, ForWrite: true, FixedSet: want.fixedSet}, plus)
				return err
			})
			var rounds []txn.RoundKind
			for _, round := range tx.(txn.Journaled).Rounds() {
				rounds = append(rounds, round.Kind)
			}
			if !done || err != nil || !slices.Equal(rounds, want.rounds) {
				t.Errorf("in %s, declaring %q: %v, %v, in rounds %v", r, want.fixedSet, done, err, rounds)
			}
		}
	}
	err = unlessAborted(ctx, func() error {
		tx := c.DB(cfg.WAN.Regions[0]).Begin(txn.Options{})
		done, err := tx.(txn.Updater).Update(ctx, txn.Read{Gets: keys, ForWrite: true, FixedSet: keys}, func([][]byte) ([]txn.Write, bool) { return nil, false })
		if err != nil {
			return err
		}
		if done {
			t.Error("an unwanted update was executed")
		}
		if err := increment(ctx, tx); err != nil {
			return err
		}
		return tx.Commit(ctx)
	})
	if err != nil {
		t.Error(err)
	}
	if got, want := count(t, c.DB(cfg.WAN.Regions[1])), 2*len(cfg.WAN.Regions)+1; got != want {
		t.Errorf("counted %d, not %d", got, want)
	}
}

// unlessAborted retries transactions until one is not aborted and returns its result.
func unlessAborted(ctx context.Context, one func() error) error {
	for {
		if err := one(); txn.KindOf(err) != txn.KindAborted || ctx.Err() != nil {
			return err
		}
	}
}
