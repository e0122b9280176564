package workload

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"isochron/geo"
	"isochron/routing"
	"isochron/txn"
)

// flaw is the defect of a model database.
type flaw int

const (
	sound         flaw = iota
	noValidation       // commits without checking for changes
	rowsOnly           // validates rows, not ranges: phantoms
	torn               // sometimes installs half of the writes
	lossy              // sometimes loses an acknowledged commit
	dirtyRollback      // sometimes keeps the writes of an aborted transaction
	lastFlaw      = dirtyRollback
)

type modelRow struct {
	value   []byte
	version uint64
}

// modelDB is a database of one map with optimistic transactions. Clients take turns at each of its
// calls: the next client sets park.
type modelDB struct {
	dir     *routing.Directory
	flaw    flaw
	rows    map[txn.Key]modelRow
	version uint64
	now     time.Duration
	park    func()
}

func newModelDB(d *routing.Directory, f flaw) *modelDB {
	return &modelDB{dir: d, flaw: f, rows: map[txn.Key]modelRow{}, park: func() {}}
}

func (db *modelDB) Directory() *routing.Directory { return db.dir }
func (db *modelDB) Region() geo.Region            { return "va" }
func (db *modelDB) ReadLocal(k txn.Key) ([]byte, txn.Version, bool) {
	row := db.rows[k]
	return row.value, txn.Version{Seq: row.version}, true
}
func (db *modelDB) Elapsed() time.Duration { return db.now }
func (db *modelDB) Sleep(time.Duration)    { db.wait() }

// wait lets others run; park belongs to this client again afterwards.
func (db *modelDB) wait() {
	park := db.park
	park()
	db.park = park
	db.now++
}

func (db *modelDB) Begin(txn.Options) txn.Txn {
	return &modelTxn{db: db, reads: map[txn.Key]uint64{}, writes: map[txn.Key][]byte{}}
}

type modelTxn struct {
	db     *modelDB
	reads  map[txn.Key]uint64
	spans  []modelSpan
	writes map[txn.Key][]byte
	undo   []map[txn.Key][]byte
	at     uint64 // when it has committed
}

type modelSpan struct {
	scan txn.Scan
	seen string
}

func (t *modelTxn) Read(_ context.Context, r txn.Read) (txn.ReadResult, error) {
	t.db.wait()
	var res txn.ReadResult
	for _, k := range r.Gets {
		res.Values = append(res.Values, t.get(k))
	}
	for _, s := range r.Scans {
		pairs, seen := t.scan(s)
		t.spans = append(t.spans, modelSpan{s, seen})
		for _, p := range pairs {
			t.get(p.Key)
		}
		res.Pairs = append(res.Pairs, t.overlay(s, pairs))
	}
	return res, nil
}

// overlay adds the transaction's own writes to a scan; a scan with a limit omits them.
func (t *modelTxn) overlay(s txn.Scan, pairs []txn.Pair) (out []txn.Pair) {
	if s.Limit > 0 {
		return pairs
	}
	for _, p := range pairs {
		if _, own := t.writes[p.Key]; !own {
			out = append(out, p)
		}
	}
	for k, v := range t.writes {
		if v != nil && s.Span.Contains(k) {
			out = append(out, txn.Pair{Key: k, Value: v})
		}
	}
	slices.SortFunc(out, func(a, b txn.Pair) int { return cmp.Compare(a.Key, b.Key) })
	if s.Reverse {
		slices.Reverse(out)
	}
	return out
}

func (t *modelTxn) get(k txn.Key) []byte {
	if v, ok := t.writes[k]; ok {
		return v
	}
	row := t.db.rows[k]
	if _, ok := t.reads[k]; !ok {
		t.reads[k] = row.version
	}
	return row.value
}

func (t *modelTxn) scan(s txn.Scan) (pairs []txn.Pair, seen string) {
	for _, k := range slices.Sorted(maps.Keys(t.db.rows)) {
		if s.Span.Contains(k) && t.db.rows[k].value != nil {
			pairs = append(pairs, txn.Pair{Key: k, Value: t.db.rows[k].value})
		}
	}
	if s.Reverse {
		slices.Reverse(pairs)
	}
	if s.Limit > 0 && len(pairs) > s.Limit {
		pairs = pairs[:s.Limit]
	}
	var names []string
	for _, p := range pairs {
		names = append(names, string(p.Key))
	}
	return pairs, strings.Join(names, "|")
}

func (t *modelTxn) Put(k txn.Key, v []byte) { t.writes[k] = v }
func (t *modelTxn) Delete(k txn.Key)        { t.writes[k] = nil }
func (t *modelTxn) Savepoint() int {
	t.undo = append(t.undo, maps.Clone(t.writes))
	return len(t.undo) - 1
}
func (t *modelTxn) RollbackTo(mark int) { t.writes = t.undo[mark] }

func (t *modelTxn) Commit(context.Context) error {
	t.db.wait()
	db := t.db
	db.version++
	t.at = db.version
	odd := db.version%10 == 0
	if !t.valid() {
		if db.flaw == dirtyRollback && odd {
			t.install(len(t.writes))
		}
		return txn.Errorf(txn.KindAborted, "something it read has changed")
	}
	switch {
	case db.flaw == torn && odd:
		t.install(len(t.writes) / 2)
	case db.flaw == lossy && odd:
	default:
		t.install(len(t.writes))
	}
	return nil
}

func (t *modelTxn) valid() bool {
	if t.db.flaw == noValidation {
		return true
	}
	for k, v := range t.reads {
		if t.db.rows[k].version != v {
			return false
		}
	}
	for _, s := range t.spans {
		if _, seen := t.scan(s.scan); seen != s.seen && t.db.flaw != rowsOnly {
			return false
		}
	}
	return true
}

func (t *modelTxn) install(n int) {
	for _, k := range slices.Sorted(maps.Keys(t.writes))[:n] {
		t.db.rows[k] = modelRow{t.writes[k], t.db.version}
	}
}

func (t *modelTxn) SchemaCheck(name string, v txn.Version) {
	for _, s := range t.db.dir.Shards {
		if s.ID != 1 { // it has all but the meta shard's
			t.reads[txn.Key(routing.LocalKey(s.ID, name))] = v.Seq
		}
	}
}
func (t *modelTxn) Rollback()        {}
func (t *modelTxn) Stats() txn.Stats { return txn.Stats{CommitAt: txn.Timestamp(t.at)} }
func (t *modelTxn) ID() txn.ID       { return txn.ID{Node: 1, Seq: t.db.version} }
