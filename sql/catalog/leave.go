package catalog

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"isochron/routing"
	"isochron/txn"
)

// The rows and ranges of a dropped table or index are cleared after the change that dropped it: the rows may be many, and
// locked by transactions that can no longer commit. The change records what to clear. The gateway that made the change
// tries it; the rest is left to the next change's gateway.

// clearPatience bounds each wait for a lock on rows that nothing uses.
const clearPatience = 200 * time.Millisecond

// clearAgain is the time after which a failed deletion is retried at first, and without another
// change.
const (
	clearAgain = 5 * time.Second
	clearTries = 8
)

func leftKey(prefix string) txn.Key { return txn.Key(routing.SystemKey("left/" + prefix)) }

// leftSpan holds the prefixes of keys that nothing uses.
func leftSpan() txn.Span { return prefixSpan("left/") }

func indexPrefix(table uint64, index uint32) string {
	return string(PartitionPrefix(table, index, 0)[:9+4])
}

// leave notes keys that nothing uses once the change is committed.
func (c *Change) leave(prefix string) { c.left = append(c.left, prefix) }

// leftOf reads the prefixes.
func leftOf(pairs []txn.Pair) (out []string) {
	for _, p := range pairs {
		out = append(out, strings.TrimPrefix(string(p.Key), string(leftKey(""))))
	}
	return out
}

// clear deletes the remains of dropped tables, as far as it can.
func (s *Store) clear(ctx context.Context, left []string) {
	done := true
	for _, prefix := range left {
		done = s.purge(ctx, prefix, clearPatience) == nil && done
	}
	if !done && s.clearing.CompareAndSwap(false, true) {
		go s.clearLater()
	}
}

func (s *Store) clearLater() {
	defer s.clearing.Store(false)
	ctx := context.Background()
	for try := range clearTries {
		time.Sleep(clearAgain << try)
		var left []string
		err := Retry(ctx, s.db, txn.Options{ReadOnly: true, SystemTxn: true}, func(tx txn.Txn) error {
			res, err := tx.Read(ctx, txn.Read{Scans: []txn.Scan{{Span: leftSpan()}}, OnlyRead: true})
			if err == nil {
				left = leftOf(res.Pairs[0])
			}
			return err
		})
		for _, prefix := range left {
			err = cmp.Or(s.purge(ctx, prefix, clearPatience), err)
		}
		if err == nil {
			return
		}
	}
}

// purgeChunk is the number of keys that one transaction of purge deletes.
const purgeChunk = 2000

// purge deletes the keys with a prefix, that cannot be reached any more, and their ranges.
func (s *Store) purge(ctx context.Context, prefix string, patience time.Duration) error {
	ranges, span := s.db.Directory().Ranges, spanOf(prefix)
	within := func(r routing.Range) bool { return span.Contains(txn.Key(r.Start)) }
	if first := slices.IndexFunc(ranges, within); first >= 0 {
		from := span
		from.Start = txn.Key(ranges[first].Start) // no shard holds lower keys
		if err := s.purgeRows(ctx, from, patience); err != nil {
			return err
		}
	}
	return s.direct(ctx, func(tx txn.Txn, dir *routing.Directory) error {
		dir.Ranges = slices.DeleteFunc(dir.Ranges, within)
		tx.Delete(leftKey(prefix))
		return nil
	})
}

func (s *Store) purgeRows(ctx context.Context, span txn.Span, patience time.Duration) error {
	for more := true; more; {
		err := Retry(ctx, s.db, txn.Options{LockWaitMillis: patience.Milliseconds()}, func(tx txn.Txn) error {
			res, err := tx.Read(ctx, txn.Read{Scans: []txn.Scan{{Span: span, Limit: purgeChunk}}, ForWrite: true})
			if err != nil {
				return err
			}
			more = len(res.Pairs[0]) == purgeChunk
			for _, p := range res.Pairs[0] {
				tx.Delete(p.Key)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
