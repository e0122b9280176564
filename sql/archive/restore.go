package archive

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"sync"

	"isochron/routing"
	"isochron/sql/catalog"
	"isochron/txn"
)

// The bounds of one transaction of a restore, and of the transactions in parallel.
const (
	batchRows  = 1000
	batchBytes = 1 << 20
	writers    = 4
)

// mark is the row that marks an incomplete restore.
type mark struct {
	Backup string `cbor:"1,keyasint"` // hex of the backup's hash
	Base   uint64 `cbor:"2,keyasint"` // first id of its tables
}

// restore is one on its way.
type restore struct {
	ctx    context.Context
	c      Cluster
	what   Contents
	mark   mark
	raw    []byte // the mark as stored
	home   *catalog.Homecoming
	epoch  uint64
	report func(Progress)

	mu   sync.Mutex
	done Progress
}

// Restore brings a backup into a cluster without tables. regions gives new names to regions.
// Repeated with the same backup after an interruption, it completes.
func Restore(ctx context.Context, c Cluster, from io.ReadSeeker, regions map[string]string, report func(Progress)) (Contents, error) {
	what, err := Verify(from)
	if err != nil {
		return what, err
	}
	if _, err := from.Seek(0, io.SeekStart); err != nil {
		return what, err
	}
	r := &restore{ctx: ctx, c: c, what: what, report: report}
	r.done.RowsAll, r.done.BytesAll = what.Rows, what.Bytes
	if err := r.begin(regions); err != nil {
		return what, err
	}
	if err := r.rows(from); err != nil {
		return what, fmt.Errorf("the restore is incomplete, run it again: %w", err)
	}
	if err := r.finish(); err != nil {
		return what, fmt.Errorf("the restore is incomplete, run it again: %w", err)
	}
	return what, nil
}

// begin checks that the cluster has no tables, views or procedures, marks it, and assigns the tables' ids and ranges.
func (r *restore) begin(regions map[string]string) error {
	res, err := do(r.ctx, r.c, txn.OneShot{
		Gets:  []txn.Key{catalog.RestoreKey, catalog.DirectoryKey, catalog.NextTableKey},
		Scans: []txn.Scan{{Span: catalog.TableSpan(), Limit: 1}, {Span: catalog.ViewSpan(), Limit: 1}, {Span: catalog.ForeignSpan(), Limit: 1}, {Span: catalog.ProcedureSpan(), Limit: 1}},
	})
	if err != nil {
		return err
	}
	if len(res.Pairs[0])+len(res.Pairs[1])+len(res.Pairs[2])+len(res.Pairs[3]) > 0 {
		return errors.New("the cluster has tables or views already, or procedures: restore into a new one")
	}
	r.mark = mark{Backup: hex.EncodeToString(r.what.Sum), Base: 1}
	next := res.Values[2]
	if len(next) == 8 {
		r.mark.Base = binary.BigEndian.Uint64(next)
	}
	if old := res.Values[0]; old != nil {
		var begun mark
		if err := txn.Decode(old, &begun); err != nil || begun.Backup != r.mark.Backup {
			return errors.New("the restore of another backup into this cluster is incomplete: run that one again, or restore into a new cluster")
		}
		r.mark.Base = begun.Base
	}
	dir, err := routing.Decode(res.Values[1])
	if err != nil {
		return err
	}
	if r.home, err = catalog.Rehome(r.what.System, dir, r.mark.Base, res.Region, regions); err != nil {
		return err
	}
	if bytes.Compare(next, r.home.NextTable) > 0 { // a second run
		r.home.NextTable = next
	}
	r.home.Directory.Epoch++
	r.epoch, r.raw = r.home.Directory.Epoch, txn.Encode(r.mark)
	got, err := do(r.ctx, r.c, txn.OneShot{
		Expect: []txn.Pair{{Key: catalog.RestoreKey, Value: res.Values[0]}, {Key: catalog.DirectoryKey, Value: res.Values[1]}, {Key: catalog.NextTableKey, Value: next}},
		Writes: []txn.Write{
			{Key: catalog.RestoreKey, Value: r.raw}, {Key: catalog.DirectoryKey, Value: r.home.Directory.Encode()},
			{Key: catalog.NextTableKey, Value: r.home.NextTable}, {Key: catalog.VersionKey, Value: []byte("restore of " + r.mark.Backup)},
		},
	})
	if err == nil && got.Unmet {
		err = errors.New("another client writes to the cluster; run the restore again without other clients")
	}
	return err
}

// rows writes all rows of tables, several transactions at a time.
func (r *restore) rows(from io.Reader) error {
	in, err := NewReader(from)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(r.ctx)
	defer cancel(nil)
	batches := make(chan []txn.Write)
	var working sync.WaitGroup
	for range writers {
		working.Go(func() {
			for batch := range batches {
				if ctx.Err() != nil {
					continue
				}
				if err := r.write(ctx, batch); err != nil {
					cancel(err)
				}
			}
		})
	}
	err = r.feed(ctx, in, batches)
	close(batches)
	working.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// feed cuts the chunks into batches of one shard each.
func (r *restore) feed(ctx context.Context, in *Reader, batches chan<- []txn.Write) error {
	for ctx.Err() == nil {
		c, err := in.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if c.Table == 0 {
			continue
		}
		var batch []txn.Write
		size, shard := 0, uint64(0)
		for _, p := range c.Rows {
			key, err := r.home.Rebase(p.Key)
			if err != nil {
				return err
			}
			s, _ := r.home.Directory.ShardOf(string(key))
			if len(batch) > 0 && (s != shard || len(batch) >= batchRows || size >= batchBytes) {
				batches <- batch
				batch, size = nil, 0
			}
			shard, size = s, size+len(key)+len(p.Value)
			batch = append(batch, txn.Write{Key: key, Value: p.Value})
		}
		if len(batch) > 0 {
			batches <- batch
		}
	}
	return ctx.Err()
}

// write writes one batch; to do it twice changes nothing.
func (r *restore) write(ctx context.Context, batch []txn.Write) error {
	if _, err := do(ctx, r.c, txn.OneShot{Writes: batch, Epoch: r.epoch}); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.done.Rows += uint64(len(batch))
	for _, w := range batch {
		r.done.Bytes += uint64(len(w.Key) + len(w.Value))
	}
	r.report(r.done)
	return nil
}

// finish writes the catalogue and takes the mark away, in one transaction.
func (r *restore) finish() error {
	q := txn.OneShot{Epoch: r.epoch, Expect: []txn.Pair{{Key: catalog.RestoreKey, Value: r.raw}}, Writes: r.home.Catalogue}
	q.Writes = append(q.Writes, txn.Write{Key: catalog.RestoreKey},
		txn.Write{Key: catalog.VersionKey, Value: []byte("restored " + r.mark.Backup)})
	res, err := do(r.ctx, r.c, q)
	if err != nil || !res.Unmet {
		return err
	}
	// The mark is gone: an earlier try, whose answer was lost, has done it.
	now, err := do(r.ctx, r.c, txn.OneShot{Gets: []txn.Key{catalog.VersionKey, catalog.RestoreKey}})
	if err == nil && now.Values[1] != nil {
		err = errors.New("another restore has begun meanwhile")
	}
	return err
}
