package coordinator

import (
	"cmp"
	"slices"
	"time"

	"isochron/coverage"
	"isochron/decide"
	"isochron/estimate"
	"isochron/schedule"
	"isochron/txn"
)

// 2FI transactions (txn.FixedSetRunner) where leaders vote on them while they read: the attempt is
// opened with the first request, and its writes are made when all rows are here.

// fixedSetState is the additional state of an attempt until then.
type fixedSetState struct {
	rows   map[txn.Key]txn.Row
	open   []txn.ShardID // whose rows are missing, rising
	gaveUp bool          // its client gave up
}

// isFixedSet reports whether leaders vote on a 2FI transaction as they read. A read-only one needs
// no votes unless the protocol has it end like others; snapshot reads, and transactions that have
// read before, are not included.
func (cs *commitManager) isFixedSet(t *transaction, req *Request) bool {
	votes := cs.cfg.Spec.Decide.FixedSet() && len(req.FixedSet) > 0 || req.Op == OpFixedSet && cs.cfg.Spec.VotesOnFixedSetReads()
	return votes && t.asOf == 0 && len(t.touched) == 0
}

// prepareFixedSet opens the attempt of a 2FI transaction.
func (cs *commitManager) prepareFixedSet(t *transaction, req *Request) {
	refuse := func(err *txn.Error) {
		cs.ender.end(t, err)
		req.answer(t.response(err))
	}
	prepares, err := cs.divideFixedSet(t, req)
	switch {
	case err != nil:
		refuse(err)
		return
	case len(cs.all) >= maxCommitments:
		refuse(txn.Errorf(txn.KindUnavailable, "this gateway's limit of %d concurrent commits is reached; nothing was executed; retry later", maxCommitments))
		return
	}
	held := cs.setArrivalTimes(prepares)
	d := &fixedSetState{rows: map[txn.Key]txn.Row{}}
	for _, p := range prepares {
		if len(p.FixedSet.Reads) > 0 {
			d.open = append(d.open, p.Shard)
		}
	}
	k := cs.open(t, req, prepares, false)
	decide.HeldBack(k.Attempt, held)
	k.fixedSet = d
	t.stats.Rounds++
	t.stats.Shards, t.stats.FixedSet = len(prepares), true
	k.Ask()
	if len(d.open) == 0 {
		cs.makeWrites(k)
	}
	cs.follow(k)
}

// setArrivalTimes sets when the leaders are to vote, where the protocol aligns them, and how long
// some of them wait for that. Unknown delays are ignored.
func (cs *commitManager) setArrivalTimes(prepares []*txn.Prepare) (held time.Duration) {
	if !cs.cfg.Spec.Arrive.SetsArrivalTime() {
		return 0
	}
	ways, logged := make([]time.Duration, len(prepares)), time.Duration(0)
	var known []estimate.Way
	for i, p := range prepares {
		to := cs.leaders.likely(p.Shard)
		if way, ok := cs.env.Way(to); ok {
			ways[i] = way.OneWay
			known = append(known, way)
		}
		logged = max(logged, cs.majorityOf(p.Shard, ways[i]))
	}
	at, held := schedule.ArrivalTime(cs.env.Now().WallNanos, known, cs.cfg.Params.ArrivalMargin)
	// The votes go to their majorities, then here, and the decision back.
	ends := at + int64(logged+2*slices.Max(append(ways, 0)))
	for _, p := range prepares {
		p.FixedSet.ArrivalTime, p.FixedSet.Ends = at, ends
	}
	if cs.cfg.Spec.Yield.Conditional {
		addOtherParts(prepares, ways, cs.env.Now().WallNanos)
	}
	return held
}

// addOtherParts informs each leader of the parts of a transaction at the others, and when they
// should arrive.
func addOtherParts(prepares []*txn.Prepare, ways []time.Duration, now int64) {
	parts := make([]txn.FixedSetPart, len(prepares))
	for i, p := range prepares {
		parts[i] = txn.FixedSetPart{Shard: p.Shard, Arrives: now + int64(ways[i])}
		for _, w := range p.Writes {
			parts[i].Writes = append(parts[i].Writes, w.Key)
		}
		for _, k := range p.FixedSet.Reads {
			if !slices.Contains(parts[i].Writes, k) {
				parts[i].Reads = append(parts[i].Reads, k)
			}
		}
	}
	for i, p := range prepares {
		p.FixedSet.Parts = slices.Concat(parts[:i], parts[i+1:])
	}
}

// majorityOf estimates how long a shard's leader, at a known delay, takes to have a majority
// durable: as if its followers were reached through this node.
func (cs *commitManager) majorityOf(s txn.ShardID, toLeader time.Duration) time.Duration {
	var trips []time.Duration
	replicas := cs.leaders.replicas(s)
	for _, n := range replicas {
		if way, ok := cs.env.Way(n); ok && n != cs.leaders.likely(s) {
			trips = append(trips, 2*max(toLeader+way.OneWay, 0))
		}
	}
	slices.Sort(trips)
	if i := decide.Majority(len(replicas)) - 2; i >= 0 && i < len(trips) {
		return trips[i]
	}
	return 0
}

// divideFixedSet divides the declared keys among the shards, rising.
func (cs *commitManager) divideFixedSet(t *transaction, req *Request) (out []*txn.Prepare, err *txn.Error) {
	dir, size := cs.env.Directory(), 0
	at := func(k txn.Key) *txn.Prepare {
		id, ok := dir.ShardOf(string(k))
		if !ok {
			err = txn.Errorf(txn.KindInvalidRequest, "no shard holds the key %q", k)
			return &txn.Prepare{FixedSet: &txn.FixedSet{}}
		}
		i, has := slices.BinarySearchFunc(out, txn.ShardID(id), func(p *txn.Prepare, s txn.ShardID) int { return cmp.Compare(p.Shard, s) })
		if !has {
			out = slices.Insert(out, i, &txn.Prepare{Shard: txn.ShardID(id), Txn: t.id, Age: t.age, ProtocolSeq: cs.protocolSwitch.seq, FixedSet: &txn.FixedSet{}})
		}
		return out[i]
	}
	for _, k := range req.Read.Gets {
		p := at(k)
		p.FixedSet.Reads = append(p.FixedSet.Reads, k)
		size += len(k)
	}
	for _, k := range req.FixedSet {
		p := at(k)
		p.Writes = append(p.Writes, txn.Write{Key: k})
		size += len(k)
	}
	if err == nil && size > MaxPrepareBytes {
		err = txn.Errorf(txn.KindTooLarge, "the transaction declares %d bytes of keys, and at most %d are allowed; split it into several", size, MaxPrepareBytes)
	}
	return out, err
}

// onFixedSetReads handles what a leader has read for a 2FI attempt.
func (cs *commitManager) onFixedSetReads(m *txn.FixedSetReads) {
	if k := cs.all[m.Attempt]; k != nil {
		cs.served(k, m.Shard, m.Rows)
		cs.follow(k)
	}
}

// served handles the same, in whichever message it arrives. The rows are the same in all of them,
// since they are locked; a decided attempt needs none.
func (cs *commitManager) served(k *pendingCommit, s txn.ShardID, rows []txn.Row) {
	d := k.fixedSet
	if d == nil || decide.Supplied(k.Attempt) || k.Decided() || !slices.Contains(d.open, s) {
		return
	}
	p := k.Prepares[slices.Index(k.Participants, s)]
	if len(rows) != len(p.FixedSet.Reads) {
		return // a No, or a reply to another request
	}
	for i, row := range rows {
		if row.Key != p.FixedSet.Reads[i] {
			return
		}
	}
	for _, row := range rows {
		d.rows[row.Key] = row
	}
	if d.open = slices.DeleteFunc(d.open, func(o txn.ShardID) bool { return o == s }); len(d.open) == 0 {
		cs.makeWrites(k)
	}
}

// makeWrites makes the client's function compute the writes, and logs them.
func (cs *commitManager) makeWrites(k *pendingCommit) {
	if verdict, _ := k.Verdict(); verdict != decide.Open { // a leader has voted No
		return
	}
	if k.req == nil { // its client has received that the outcome is unknown, and no longer waits
		decide.Withdraw(k.Attempt, nil)
		return
	}
	rows := make([]txn.Row, len(k.req.Read.Gets))
	for i, key := range k.req.Read.Gets {
		rows[i] = k.fixedSet.rows[key]
	}
	k.fixedSet.rows = nil
	writes, ok := k.req.Then(rows)
	if !ok {
		k.fixedSet.gaveUp = true
		decide.Withdraw(k.Attempt, rolledBack(txn.CauseClient))
		return
	}
	data, err := k.dataOf(writes)
	if err != nil {
		decide.Withdraw(k.Attempt, err)
		return
	}
	if cs.env.Tracing() {
		cs.env.Trace("%v of %v has read all, and its writes are logged at shard %d", k.ID, k.Txn, k.RecordShard)
	}
	cs.cfg.Params.Rules.HitIf(len(k.Missing()) > 0, coverage.DataWithVotes)
	decide.Supply(k.Attempt, data)
}

// dataOf divides writes among the participants.
func (k *pendingCommit) dataOf(writes []txn.Write) (data []txn.ShardWrites, err *txn.Error) {
	size := 0
	for _, p := range k.Prepares {
		d := txn.ShardWrites{Shard: p.Shard}
		for _, w := range writes {
			if slices.ContainsFunc(p.Writes, func(o txn.Write) bool { return o.Key == w.Key }) {
				d.Writes = append(d.Writes, w)
				size += writeBytes(w.Key, w.Value)
			}
		}
		if len(d.Writes) > 0 {
			data = append(data, d)
		}
	}
	if size > MaxPrepareBytes {
		return nil, txn.Errorf(txn.KindTooLarge, "the transaction writes %d bytes, and at most %d are allowed; split it into several", size, MaxPrepareBytes)
	}
	return data, nil
}
