package sqltest

import (
	"context"
	"maps"
	"slices"
	"time"

	"isochron/routing"
	"isochron/txn"
)

// Txn implements txn.Txn.
type Txn struct {
	g   *Gateway
	opt txn.Options
	id  txn.ID

	read    map[txn.Key]row
	scans   []scanned
	writes  map[txn.Key][]byte // nil: deleted
	undo    []write
	guards  map[string]txn.Version
	touched map[uint64]bool
	locked  map[txn.Key]bool
	stats   txn.Stats
	over    bool
	final   bool
	full    *txn.Error

	branches map[txn.ShardID]Branch
	last     bool // it has said which statements are its last at sources
}

var (
	_ txn.Txn       = (*Txn)(nil)
	_ txn.Updater   = (*Txn)(nil)
	_ txn.Confirmer = (*Txn)(nil)
)

type scanned struct {
	scan txn.Scan
	keys []txn.Key
	upTo txn.Span // the part of the span that the limit let it see
}

type write struct {
	key  txn.Key
	old  []byte
	held bool
}

// ID implements txn.Txn.
func (t *Txn) ID() txn.ID { return t.id }

// Writes reports whether it writes a key.
func (t *Txn) Writes(k txn.Key) bool {
	_, ok := t.writes[k]
	return ok
}

// Options are those it was begun with.
func (t *Txn) Options() txn.Options { return t.opt }

// Stats implements txn.Txn.
func (t *Txn) Stats() txn.Stats {
	s := t.stats
	s.Shards = len(t.touched)
	return s
}

// SchemaCheck implements txn.Txn.
func (t *Txn) SchemaCheck(name string, v txn.Version) {
	t.g.c.mu.Lock()
	defer t.g.c.mu.Unlock()
	t.guards[name] = v
}

// Read implements txn.Txn.
func (t *Txn) Read(ctx context.Context, r txn.Read) (txn.ReadResult, error) {
	if t.over || t.final {
		return txn.ReadResult{}, txn.Errorf(txn.KindInvalidRequest, "a read after the end of the transaction or after its final read")
	}
	if t.full != nil {
		return txn.ReadResult{}, t.full
	}
	if r.ForWrite && t.opt.ReadOnly {
		return txn.ReadResult{}, txn.Errorf(txn.KindInvalidRequest, "a read for writing in a read-only transaction")
	}
	c := t.g.c
	if c.BeforeRead != nil {
		if err := c.BeforeRead(t, r); err != nil {
			return txn.ReadResult{}, err
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	t.final = r.OnlyRead
	round := false
	skip := map[txn.Key]bool{}
	for _, k := range r.Gets {
		round = t.get(k) || round
		if err := t.lock(ctx, k, r, skip); err != nil {
			return txn.ReadResult{}, err
		}
	}
	res := txn.ReadResult{}
	for _, s := range r.Scans {
		pairs, left, err := t.scan(ctx, s, r, skip)
		if err != nil {
			return txn.ReadResult{}, err
		}
		round = round || left
		res.Pairs = append(res.Pairs, pairs)
	}
	for _, k := range r.Gets {
		if skip[k] {
			res.Values = append(res.Values, nil)
		} else {
			res.Values = append(res.Values, t.visible(k))
		}
	}
	if round {
		t.count()
	}
	if err := t.guarded(); err != nil {
		return txn.ReadResult{}, err
	}
	return res, nil
}

func (t *Txn) count() {
	t.stats.Rounds++
	for shard := range t.touched {
		if s, ok := t.g.c.dir.Shard(shard); ok && s.Leader != string(t.g.region) {
			t.stats.WideRounds++
			return
		}
	}
}

// get reads a key that was not read before; true if it had to.
func (t *Txn) get(k txn.Key) bool {
	if _, known := t.read[k]; known {
		return false
	}
	t.read[k] = t.g.c.rows[k]
	t.touch(k)
	return true
}

func (t *Txn) touch(k txn.Key) {
	shard, ok := t.g.c.dir.ShardOf(string(k))
	if !ok {
		panic("no shard holds key " + string(k))
	}
	t.touched[shard] = true
}

func (t *Txn) visible(k txn.Key) []byte {
	if v, ok := t.writes[k]; ok {
		return v
	}
	return t.read[k].value
}

func (t *Txn) scan(ctx context.Context, s txn.Scan, r txn.Read, skip map[txn.Key]bool) ([]txn.Pair, bool, error) {
	left := !slices.ContainsFunc(t.scans, func(old scanned) bool { return old.scan == s })
	committed := t.g.c.scan(s.Span)
	pieces, err := t.g.c.dir.Pieces(string(s.Span.Start), string(s.Span.End))
	if err != nil {
		panic(err)
	}
	for _, p := range pieces {
		t.touched[p.Shard] = true
	}
	all := maps.Clone(t.writes)
	for _, k := range committed {
		if _, own := all[k]; !own {
			all[k] = t.g.c.rows[k].value
		}
	}
	keys := slices.Sorted(maps.Keys(all))
	if s.Reverse {
		slices.Reverse(keys)
	}
	var pairs []txn.Pair
	seen := scanned{scan: s, upTo: s.Span}
	for _, k := range keys {
		if !s.Span.Contains(k) || all[k] == nil {
			continue
		}
		if err := t.lock(ctx, k, r, skip); err != nil {
			return nil, left, err
		}
		if skip[k] {
			continue
		}
		if r.Wait == txn.LookLocked {
			pairs = append(pairs, txn.Pair{Key: k, Value: all[k]})
			if len(pairs) == s.Limit {
				break
			}
			continue
		}
		t.get(k)
		pairs = append(pairs, txn.Pair{Key: k, Value: t.visible(k)})
		if len(pairs) == s.Limit {
			if s.Reverse {
				seen.upTo.Start = k
			} else {
				seen.upTo.End = k + "\x00"
			}
			break
		}
	}
	seen.keys = t.g.c.scan(seen.upTo)
	if left && r.Wait != txn.LookLocked {
		t.scans = append(t.scans, seen)
	}
	return pairs, left, nil
}

// lock takes the lock that a read asks for.
func (t *Txn) lock(ctx context.Context, k txn.Key, r txn.Read, skip map[txn.Key]bool) error {
	if r.Lock == txn.LockNone {
		return nil
	}
	c := t.g.c
	if r.Wait == txn.LookLocked {
		skip[k] = !t.free(k, r.Lock)
		return nil
	}
	wait := time.Duration(t.opt.LockWaitMillis) * time.Millisecond
	if wait == 0 {
		wait = 5 * time.Second
	}
	deadline := time.Now().Add(wait)
	for !t.tryLock(k, r.Lock) {
		switch {
		case r.Wait == txn.SkipLocked:
			skip[k] = true
			return nil
		case r.Wait == txn.NoWait:
			return txn.Errorf(txn.KindNoWait, "the row is locked")
		case time.Now().After(deadline) || ctx.Err() != nil:
			return txn.Errorf(txn.KindLockTimeout, "the row stayed locked for %s", wait)
		}
		c.mu.Unlock()
		time.Sleep(time.Millisecond)
		c.mu.Lock()
	}
	// Locked rows are read in their present version.
	if now := c.rows[k]; t.read[k].version != now.version {
		if _, before := t.read[k]; before {
			t.read[k] = now
		}
	}
	return nil
}

// free reports whether no other transaction conflicts with a lock.
func (t *Txn) free(k txn.Key, want txn.Lock) bool {
	l := t.g.c.locks[k]
	return l == nil || (l.exclusive.IsZero() || l.exclusive == t.id) && (want != txn.LockExclusive || !othersIn(l.shared, t.id))
}

func (t *Txn) tryLock(k txn.Key, want txn.Lock) bool {
	if !t.free(k, want) {
		return false
	}
	l := t.g.c.locks[k]
	if l == nil {
		l = &lock{shared: map[txn.ID]bool{}}
		t.g.c.locks[k] = l
	}
	if want == txn.LockExclusive {
		l.exclusive = t.id
	} else if l.exclusive.IsZero() {
		l.shared[t.id] = true
	}
	t.locked[k] = true
	return true
}

// Put implements txn.Txn.
func (t *Txn) Put(k txn.Key, v []byte) {
	if v == nil {
		panic("a nil value")
	}
	t.write(k, v)
}

// Delete implements txn.Txn.
func (t *Txn) Delete(k txn.Key) { t.write(k, nil) }

func (t *Txn) write(k txn.Key, v []byte) {
	if t.opt.ReadOnly {
		panic("a write in a read-only transaction")
	}
	if m := t.g.c.MaxWrites; t.full != nil || m > 0 && len(t.undo) >= m {
		t.full = txn.Errorf(txn.KindTooLarge, "a transaction holds at most %d writes", m)
		return
	}
	old, held := t.writes[k]
	t.undo = append(t.undo, write{k, old, held})
	t.writes[k] = v
}

// Full implements txn.Bounded.
func (t *Txn) Full() *txn.Error { return t.full }

// Savepoint implements txn.Txn.
func (t *Txn) Savepoint() int { return len(t.undo) }

// RollbackTo implements txn.Txn.
func (t *Txn) RollbackTo(mark int) {
	t.full = nil
	for len(t.undo) > mark {
		w := t.undo[len(t.undo)-1]
		t.undo = t.undo[:len(t.undo)-1]
		if w.held {
			t.writes[w.key] = w.old
		} else {
			delete(t.writes, w.key)
		}
	}
}

func (t *Txn) guarded() error {
	for shard := range t.touched {
		for name, want := range t.guards {
			have, ok := t.g.c.rows[txn.Key(routing.LocalKey(shard, name))]
			if ok && have.version != want {
				return txn.Errorf(txn.KindStale, "%s is no longer as it was", name)
			}
		}
	}
	return nil
}

// Commit implements txn.Txn.
func (t *Txn) Commit(context.Context) error {
	c := t.g.c
	if t.full != nil {
		return t.full
	}
	if c.BeforeCommit != nil {
		if err := c.BeforeCommit(t); err != nil {
			return err
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if t.over {
		return txn.Errorf(txn.KindInvalidRequest, "a commit after the end of the transaction")
	}
	defer t.end()
	if t.final && len(t.writes) == 0 {
		return nil
	}
	defer t.endBranches(false)
	for k := range t.writes {
		t.touch(k)
	}
	t.stats.CommitRounds = 1
	if err := t.guarded(); err != nil {
		return err
	}
	if err := t.validate(); err != nil {
		return err
	}
	if err := t.endBranches(true); err != nil {
		return err
	}
	v := c.next()
	for k, value := range t.writes {
		c.put(k, value, v)
	}
	t.stats.CommitVersion = v
	return nil
}

// Confirm implements txn.Confirmer.
func (t *Txn) Confirm(context.Context) error {
	c := t.g.c
	c.mu.Lock()
	defer c.mu.Unlock()
	return t.stands()
}

func (t *Txn) validate() error {
	c := t.g.c
	if err := t.stands(); err != nil {
		return err
	}
	for k := range t.writes {
		if l := c.locks[k]; l != nil && (!l.exclusive.IsZero() && l.exclusive != t.id || othersIn(l.shared, t.id)) {
			return txn.Errorf(txn.KindAborted, "a row to be written is locked")
		}
	}
	return nil
}

// stands checks that the reads are still current.
func (t *Txn) stands() error {
	c := t.g.c
	for k, was := range t.read {
		if c.rows[k].version != was.version {
			return txn.Errorf(txn.KindAborted, "a row that was read has changed")
		}
	}
	for _, s := range t.scans {
		if !slices.Equal(c.scan(s.upTo), s.keys) {
			return txn.Errorf(txn.KindAborted, "a range that was read has changed")
		}
	}
	return nil
}

func othersIn(ids map[txn.ID]bool, me txn.ID) bool {
	for id := range ids {
		if id != me {
			return true
		}
	}
	return false
}

// Update implements txn.Updater.
func (t *Txn) Update(ctx context.Context, r txn.Read, f func([][]byte) ([]txn.Write, bool)) (done bool, err error) {
	before := t.stats
	res, err := t.Read(ctx, r)
	if err != nil {
		return false, err
	}
	if r.ExpectsAbsent && !slices.ContainsFunc(res.Values, func(v []byte) bool { return v != nil }) {
		t.stats = before // the vote checks the keys
	}
	writes, ok := f(res.Values)
	if !ok {
		return false, nil
	}
	for _, w := range writes {
		t.write(w.Key, w.Value)
	}
	return true, t.Commit(ctx)
}

// Rollback implements txn.Txn.
func (t *Txn) Rollback() {
	t.g.c.mu.Lock()
	defer t.g.c.mu.Unlock()
	t.end()
}

func (t *Txn) end() {
	t.over = true
	delete(t.g.c.open, t.id)
	_ = t.endBranches(false)
	for k := range t.locked {
		l := t.g.c.locks[k]
		if l.exclusive == t.id {
			l.exclusive = txn.ID{}
		}
		delete(l.shared, t.id)
	}
	t.locked = map[txn.Key]bool{}
}
