package lab

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"isochron/geo"
	"isochron/history"
	"isochron/routing"
	"isochron/sim"
	"isochron/txn"
)

// Each value begins with the number of its write; loaded rows have initialWrite.
const (
	initialWrite = 0
	stampBytes   = 8
)

func stamped(id int64, value []byte) []byte {
	out := make([]byte, stampBytes, stampBytes+len(value))
	binary.BigEndian.PutUint64(out, uint64(id))
	return append(out, value...)
}

// stamp splits a value into the number of its write and the client's value. A row that does not
// exist has the initial number.
func stamp(v []byte) (id int64, value []byte) {
	if len(v) < stampBytes {
		return initialWrite, nil
	}
	return int64(binary.BigEndian.Uint64(v)), v[stampBytes:]
}

// tracked is one try of a transaction, with the regions of the leaders it touches, its reads and
// its writes.
type tracked struct {
	txn.Txn
	r       *run
	c       *sim.Client
	leaders uint64 // a bit for each region
	wrote   bool
	// autocommit: the try is one statement, which carries its commit.
	autocommit bool
	fixedSet   bool // a 2FI transaction
	owed       bool // the answer to the last statement has not travelled yet
	region     geo.Region
	begun      []txn.ShardID // the sources it has sent statements, in that order; see xatrips.go

	rec    *history.Record // nil: it is not recorded
	number int             // its number among the recorded tries
	own    map[int64]bool  // its writes
}

// track begins a try. It is recorded if the run still records.
func (r *run) track(c *sim.Client, t txn.Txn, process int, region geo.Region) *tracked {
	k := &tracked{Txn: t, r: r, c: c, region: region}
	if r.recorded < r.spec.Check {
		r.recorded++
		k.number = r.recorded
		r.recordedTo = r.lastWrite
		k.rec = &history.Record{Process: process, Region: string(region), InvokeNanos: int64(r.w.Elapsed())}
		k.own = map[int64]bool{}
		r.open[k] = true
	}
	return k
}

func (k *tracked) touch(key txn.Key) {
	if shard, ok := k.r.dir.ShardOf(string(key)); ok {
		k.leaders |= k.r.leaderBit[shard]
	}
}

// Read implements txn.Txn: in one round, or a round for each row.
func (k *tracked) Read(ctx context.Context, rd txn.Read) (txn.ReadResult, error) {
	if !k.r.spec.OneByOne || len(rd.Gets) < 2 {
		return k.round(ctx, rd)
	}
	rd.OnlyRead = false
	gets, scans := rd.Gets, rd.Scans
	var values [][]byte
	for i := range gets {
		if rd.Gets, rd.Scans = gets[i:i+1], nil; i == len(gets)-1 {
			rd.Scans = scans
		}
		res, err := k.round(ctx, rd)
		if values = append(values, res.Values...); err != nil || i == len(gets)-1 {
			res.Values = values
			return res, err
		}
	}
	panic("a read of no row is one round")
}

// round is one round of reads.
func (k *tracked) round(ctx context.Context, rd txn.Read) (txn.ReadResult, error) {
	for _, key := range rd.Gets {
		k.touch(key)
	}
	for _, s := range rd.Scans {
		pieces, _ := k.r.dir.Pieces(string(s.Span.Start), string(s.Span.End)) // the database reports the error
		for _, p := range pieces {
			k.leaders |= k.r.leaderBit[p.Shard]
		}
	}
	if !k.autocommit {
		k.sends()
	}
	if !rd.ForWrite {
		k.copiesWriters()
	}
	res, err := k.Txn.Read(ctx, rd)
	if err != nil {
		return res, err
	}
	for i, v := range res.Values {
		res.Values[i] = k.saw(rd.Gets[i], v)
	}
	for _, pairs := range res.Pairs {
		for i, p := range pairs {
			pairs[i].Value = k.saw(p.Key, p.Value)
		}
	}
	return res, nil
}

// saw records a read and removes the number from its value.
func (k *tracked) saw(key txn.Key, v []byte) []byte {
	id, value := stamp(v)
	if k.rec != nil && !k.own[id] && k.r.isRecorded(id) {
		k.rec.Ops = append(k.rec.Ops, history.Op{Kind: history.Get, Key: string(key), Value: id})
	}
	return value
}

// Put implements txn.Txn.
func (k *tracked) Put(key txn.Key, value []byte) {
	k.touch(key)
	k.Txn.Put(key, k.setsArrivalTimes(key, value))
}

// setsArrivalTimes numbers a write, and records it.
func (k *tracked) setsArrivalTimes(key txn.Key, value []byte) []byte {
	k.writes()
	k.r.lastWrite++
	id := k.r.lastWrite
	out := stamped(id, value)
	if k.rec == nil {
		return out
	}
	if k.r.recorded >= k.r.spec.Check {
		k.r.lateWrites[id] = true
	}
	k.own[id] = true
	k.rec.Ops = append(k.rec.Ops, history.Op{Kind: history.Put, Key: string(key), Value: id})
	return out
}

// isRecorded reports whether a write belongs to a recorded try: all did until recording ended, and
// then those of open transactions. A read of another write is not checked.
func (r *run) isRecorded(id int64) bool { return id <= r.recordedTo || r.lateWrites[id] }

// Delete implements txn.Txn. A row that does not exist has no writer, so rows that are ever deleted
// are excluded from the check.
func (k *tracked) Delete(key txn.Key) {
	k.touch(key)
	k.writes()
	k.r.deleted[string(key)] = true
	k.Txn.Delete(key)
}

// RollbackTo implements txn.Txn. Rows that a try has written when it rolls back to a savepoint are
// excluded from the check too.
func (k *tracked) RollbackTo(savepoint int) {
	k.Txn.RollbackTo(savepoint)
	if k.rec == nil {
		return
	}
	for _, op := range k.rec.Ops {
		if op.Kind == history.Put {
			k.r.deleted[op.Key] = true
		}
	}
}

// copiesWriters takes the time of copying the list of writers, if it is charged.
func (k *tracked) copiesWriters() {
	if d := k.r.writers.copied(k.c.Elapsed()); d > 0 {
		k.c.Sleep(d)
	}
}

// writes records that the try writes.
func (k *tracked) writes() {
	if !k.wrote {
		k.wrote = true
		k.r.writers.writers++
	}
}

// ended records the outcome of the try.
func (k *tracked) ended(err error) {
	if k.wrote {
		k.r.writers.writers--
	}
	if k.rec == nil {
		return
	}
	delete(k.r.open, k)
	k.rec.CompleteNanos = int64(k.r.w.Elapsed())
	k.rec.Txn = k.Txn.ID().String()
	switch kind := txn.KindOf(err); {
	case err == nil:
		k.rec.Outcome, k.rec.At = history.OK, int64(k.Txn.Stats().CommitAt)
	case kind == txn.KindUnknown:
		k.rec.Outcome = history.Unknown
	default:
		k.rec.Outcome = history.Fail
	}
	if err != nil {
		k.rec.Reason = err.Error()
	}
	k.r.history.Add(k.rec)
}

// anomaliesMax bounds the anomalies of a Result.
const anomaliesMax = 10

// check checks the recorded history.
func (r *run) check() Check {
	for _, rec := range r.history.Records {
		kept := rec.Ops[:0]
		for _, op := range rec.Ops {
			if !r.deleted[op.Key] {
				op.Key = r.rowName(op.Key)
				kept = append(kept, op)
			}
		}
		rec.Ops = kept
	}
	report := history.CheckRegisters(&r.history)
	out := Check{Checked: report.Checked, Serializable: report.Serializable(), Anomalies: []string{}}
	for i, v := range report.Violations {
		if i == anomaliesMax {
			out.Anomalies = append(out.Anomalies, fmt.Sprintf("and %d more", len(report.Violations)-i))
			break
		}
		out.Anomalies = append(out.Anomalies, fmt.Sprint(v))
	}
	return out
}

// rowName formats a key: its shard, and the rest after the prefix that all keys of the workload's
// table have.
func (r *run) rowName(key string) string {
	if r.spec.Sources != "" { // see rowAt
		return key
	}
	shard, _ := r.dir.ShardOf(key)
	prefix := min(len(routing.TablePrefix(0))+1, len(key)) // the last byte is the part
	return fmt.Sprintf("%d/%s", shard, strings.Trim(strconv.Quote(key[prefix:]), `"`))
}

// drain waits for the open transactions; transactions that do not end are recorded as unknown.
func (r *run) drain() error {
	for waited := time.Duration(0); waited < drainWithin && r.busy > 0; waited += bringUpStep {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		r.w.Run(bringUpStep)
	}
	var late []*tracked
	// order: sorted below.
	for k := range r.open {
		late = append(late, k)
	}
	slices.SortFunc(late, func(a, b *tracked) int { return a.number - b.number })
	for _, k := range late {
		k.ended(txn.Errorf(txn.KindUnknown, "the run was over"))
	}
	return nil
}

// drainWithin is virtual time.
const drainWithin = time.Minute
