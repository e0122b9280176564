package archive

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"isochron/routing"
	"isochron/sql/catalog"
	"isochron/txn"
)

// Cluster is a cluster that can be asked.
type Cluster interface {
	Do(ctx context.Context, q txn.OneShot) (txn.OneShotResult, error)
}

// Progress of a backup or a restore.
type Progress struct {
	Tables, TablesDone int
	Rows, Bytes        uint64
	RowsAll, BytesAll  uint64 // 0: not known
}

// The bounds of talking to a cluster.
const (
	tries     = 40
	triesWait = 250 * time.Millisecond
	// holdMillis is the time for which versions are kept after each renewal, renewEvery the longest
	// time between renewals.
	holdMillis = 120_000
	renewEvery = 30 * time.Second
)

// do retries a repeatable request until it is answered, as long as that may help.
func do(ctx context.Context, c Cluster, q txn.OneShot) (res txn.OneShotResult, err error) {
	for range tries {
		res, err = c.Do(ctx, q)
		if k := txn.KindOf(err); err == nil || k != txn.KindUnavailable && k != txn.KindUnknown && k != txn.KindAborted {
			return res, err
		}
		select {
		case <-ctx.Done():
			return res, ctx.Err()
		case <-time.After(triesWait):
		}
	}
	return res, err
}

// directory is the newest directory of the cluster.
func directory(ctx context.Context, c Cluster) (*routing.Directory, error) {
	res, err := do(ctx, c, txn.OneShot{Gets: []txn.Key{catalog.DirectoryKey}})
	if err != nil {
		return nil, err
	}
	return routing.Decode(res.Values[0])
}

// backup is one on its way.
type backup struct {
	ctx     context.Context
	c       Cluster
	w       *Writer
	dir     *routing.Directory
	at      txn.Timestamp
	renewed time.Time
	report  func(Progress)
	done    Progress
}

// Take writes a backup of the cluster as it is now. about describes it; the read timestamp, the regions and a switched
// protocol are filled in.
func Take(ctx context.Context, c Cluster, w io.Writer, about Header, report func(Progress)) (Contents, error) {
	b := &backup{ctx: ctx, c: c, report: report}
	var err error
	if b.dir, err = directory(ctx, c); err != nil {
		return Contents{}, err
	}
	res, err := do(ctx, c, txn.OneShot{WantReadTS: true, Epoch: b.dir.Epoch})
	if err != nil {
		return Contents{}, err
	}
	b.at = res.At
	if err := b.renew(); err != nil {
		return Contents{}, err
	}
	about.At, about.Regions, about.Protocol = b.at, b.dir.StorageRegions(), b.dir.Protocol.InForce(about.Protocol)
	if b.w, err = NewWriter(w, about); err != nil {
		return Contents{}, err
	}
	records, sources, err := b.catalogue()
	if err != nil {
		return Contents{}, err
	}
	b.done.Tables = len(records)
	for _, rec := range records {
		for _, span := range rec.Spans() {
			if err := b.span(rec.ID, span, nil); err != nil {
				return Contents{}, err
			}
		}
		b.done.TablesDone++
	}
	if err := b.stillRouted(records); err != nil {
		return Contents{}, err
	}
	footer, err := b.w.Finish()
	return Contents{Header: about, Footer: footer, Sources: sources}, err
}

// renew protects the versions at the read timestamp at all shards for another while.
func (b *backup) renew() error {
	if time.Since(b.renewed) < renewEvery {
		return nil
	}
	_, err := do(b.ctx, b.c, txn.OneShot{AsOf: b.at, ProtectMillis: holdMillis, Gets: txn.EveryShard(b.dir), Epoch: b.dir.Epoch})
	b.renewed = time.Now()
	return explain(err)
}

func explain(err error) error {
	if txn.KindOf(err) == txn.KindTooOld {
		return fmt.Errorf("the cluster did not keep the versions at the backup's read timestamp long enough (%w); run the backup again", err)
	}
	return err
}

// catalogue saves the catalogue, and reads the tables in it and the sources that it names.
func (b *backup) catalogue() (records []*catalog.Record, sources []string, err error) {
	var system []txn.Pair
	if err := b.span(0, catalog.SystemSpan(), &system); err != nil {
		return nil, nil, err
	}
	for _, p := range system {
		if p.Key == catalog.RestoreKey {
			return nil, nil, catalog.ErrRestoring
		}
	}
	if sources, err = catalog.SourcesOf(system); err != nil {
		return nil, nil, err
	}
	records, err = catalog.DecodeRecords(system)
	return records, sources, err
}

// span saves the rows of a span, page by page; keep, if set, takes them as well.
func (b *backup) span(table uint64, span txn.Span, keep *[]txn.Pair) error {
	if table != 0 {
		i := slices.IndexFunc(b.dir.Ranges, func(r routing.Range) bool { return span.Contains(txn.Key(r.Start)) })
		if i < 0 {
			return errDropped
		}
		span.Start = txn.Key(b.dir.Ranges[i].Start)
	}
	for more := true; more; {
		if err := b.renew(); err != nil {
			return err
		}
		res, err := do(b.ctx, b.c, txn.OneShot{AsOf: b.at, ProtectMillis: holdMillis, Scans: []txn.Scan{{Span: span}}, Epoch: b.dir.Epoch})
		if err != nil {
			return explain(err)
		}
		rows := res.Pairs[0]
		if more = res.More[0] && len(rows) > 0; len(rows) == 0 {
			return nil
		}
		span.Start = rows[len(rows)-1].Key + "\x00"
		if keep != nil {
			*keep = append(*keep, rows...)
		}
		shard, _ := b.dir.ShardOf(string(rows[0].Key))
		if err := b.w.Add(table, shard, rows); err != nil {
			return err
		}
		b.done.Rows, b.done.Bytes = b.w.footer.Rows, b.w.footer.Bytes
		b.report(b.done)
	}
	return nil
}

var errDropped = errors.New("a table or an index was dropped while the backup was taken; run the backup again")

// stillRouted sees that no range of the tables was taken from the directory
// meanwhile: rows of it would have been sought where they never were.
func (b *backup) stillRouted(records []*catalog.Record) error {
	now, err := directory(b.ctx, b.c)
	if err != nil {
		return err
	}
	for _, rec := range records {
		have := rec.Starts(now)
		for _, want := range rec.Starts(b.dir) {
			if !slices.ContainsFunc(have, func(r routing.Range) bool { return string(r.Start) == string(want.Start) && r.Shard == want.Shard }) {
				return errDropped
			}
		}
	}
	return nil
}
