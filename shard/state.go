package shard

import (
	"cmp"
	"fmt"
	"slices"

	"isochron/coverage"
	"isochron/reveal"
	"isochron/store"
	"isochron/txn"
)

// prepared is an undecided Yes in the log.
type prepared struct {
	voteCmd
	index      uint64 // of its entry
	chainIndex int    // position in the entry: votes are restored in the order (index, chainIndex)
	since      int64  // local monotonic nanoseconds when this replica applied it
}

// applied is the state of the applied log.
type applied struct {
	Index uint64        `cbor:"1,keyasint"`
	Term  uint64        `cbor:"2,keyasint"`
	MaxTS txn.Timestamp `cbor:"3,keyasint"`           // not below any timestamp in the log so far
	Keep  txn.Timestamp `cbor:"4,keyasint,omitempty"` // versions needed only below it may be collected
	Holds []protectedTS `cbor:"5,keyasint,omitempty"` // protections; Keep does not pass them while they last
	// MaxReadTS is the highest read timestamp at which some leader may have answered reads:
	// every later leader proposes above it.
	MaxReadTS txn.Timestamp `cbor:"6,keyasint,omitempty"`
	// Protocol is the protocol in force, if it was switched since the shard's start.
	Protocol protocolCmd `cbor:"23,keyasint,omitzero"`
}

// state is the applied state: a function of the log, the same on every replica at the same index.
type state struct {
	id         txn.ShardID
	prefix     []byte // of this generation of the state
	rows       []byte // prefix of the rows
	cache      store.RowCache
	applied    applied
	prepared   map[txn.Attempt]*prepared
	outcomes   *txn.ByAttempt[outcome]
	retired    map[txn.Incarnation]uint64
	moved      []txn.Incarnation // incarnations whose marks the current batch has moved
	dropped    []txn.Attempt     // attempts whose outcomes it has dropped
	pending    reveal.Pending
	dependents reveal.Dependents
	ephemeral  bool
	careless   bool // a bug was injected: see applyProtocol
	rules      *coverage.Counts
}

// loadState reads the state below a prefix from the engine.
func loadState(cfg Config, prefix []byte, now int64) (*state, error) {
	id, r := cfg.ID, cfg.Engine
	s := &state{id: id, ephemeral: cfg.ephemeral(), careless: cfg.Params.InjectedBugs.SwitchUndrained, rules: cfg.Params.Rules, prefix: prefix, prepared: map[txn.Attempt]*prepared{}, retired: map[txn.Incarnation]uint64{}, outcomes: txn.NewByAttempt[outcome](),
		dependents: reveal.Dependents{}}
	s.rows = rowsPrefix(s.prefix)
	room := store.RowCacheBytes
	if s.ephemeral {
		room = store.RowCacheMemoryBytes
	}
	s.cache = store.NewRowCache(s.rows, room, cfg.SpecAt)
	if raw, ok := r.Get(s.key('a')); ok {
		if err := txn.Decode(raw, &s.applied); err != nil {
			return nil, fmt.Errorf("shard %d: %w", id, err)
		}
	}
	for _, part := range []struct {
		kind byte
		read func(v []byte) error
	}{{'p', func(v []byte) error {
		var p storedVote
		err := txn.Decode(v, &p)
		s.prepared[p.Vote.Attempt] = &prepared{p.Vote, p.Index, p.Position, now}
		s.pending.Add(p.Vote.Writes)
		return err
	}}, {'o', func(v []byte) error {
		var o storedOutcome
		err := txn.Decode(v, &o)
		s.outcomes.Set(o.Attempt, o.Outcome)
		return err
	}}, {'w', func(v []byte) error {
		var w storedRetired
		err := txn.Decode(v, &w)
		s.retired[txn.Incarnation{Node: w.Node, Epoch: w.Epoch}] = w.Below
		return err
	}}} {
		if err := each(r, s.key(part.kind), part.read); err != nil {
			return nil, fmt.Errorf("shard %d: %w", id, err)
		}
	}
	for _, p := range s.byIndex() {
		s.dependents.Add(p.Attempt, p.Deps)
		s.dependents.Add(p.Attempt, p.AssumesAborted)
	}
	return s, nil
}

func each(r store.Reader, prefix []byte, read func(v []byte) error) error {
	it := r.Iter(prefix, store.After(prefix))
	defer it.Close()
	for ok := it.First(); ok; ok = it.Next() {
		if err := read(it.Value()); err != nil {
			return err
		}
	}
	return nil
}

type storedVote struct {
	Vote     voteCmd `cbor:"1,keyasint"`
	Index    uint64  `cbor:"2,keyasint"`
	Position int     `cbor:"3,keyasint,omitempty"`
}

type storedOutcome struct {
	Attempt txn.Attempt `cbor:"1,keyasint"`
	Outcome outcome     `cbor:"2,keyasint"`
}

type storedRetired struct {
	Node  txn.NodeID `cbor:"1,keyasint"`
	Epoch uint32     `cbor:"2,keyasint"`
	Below uint64     `cbor:"3,keyasint"`
}

func (s *state) key(kind byte) []byte {
	return append(append(make([]byte, 0, len(s.prefix)+1), s.prefix...), kind)
}

// byIndex returns the undecided votes in log order.
func (s *state) byIndex() []*prepared {
	out := make([]*prepared, 0, len(s.prepared))
	for _, p := range s.prepared { // order: sorted below
		out = append(out, p)
	}
	slices.SortFunc(out, func(a, b *prepared) int {
		return cmp.Or(cmp.Compare(a.index, b.index), cmp.Compare(a.chainIndex, b.chainIndex))
	})
	return out
}

// isRetired reports whether the attempt has ended at every participant.
func (s *state) isRetired(a txn.Attempt) bool { return a.Seq < s.retired[a.Incarnation()] }

// effect is the result of applying one command.
type effect struct {
	attempt txn.Attempt
	voted   *voteCmd    // a Yes is now in the log
	void    bool        // a Yes follows a fence and has no effect
	ended   *prepared   // an undecided vote was decided
	commit  bool        // the decision of ended, or: a one-phase Yes committed
	visible []txn.Write // rows that are now visible
	fenced  bool        // a fence, or an abort, of an attempt without a vote
	barrier uint64
	// protocol: another protocol is in force from here on
	protocol bool
}

// apply applies one command, at a position of the entry at applied.Index.
// It writes its changes to b; putApplied completes the batch.
func (s *state) apply(b *store.Batch, place int, c command, now int64) effect {
	var e effect
	switch {
	case c.Vote != nil:
		e = s.applyVote(b, place, c.Vote, now)
	case c.Decide != nil:
		e = s.applyDecide(b, *c.Decide)
	case c.Fence != nil:
		e.attempt, e.fenced = c.Fence.Attempt, true
		if s.prepared[e.attempt] == nil {
			s.rules.Hit(coverage.FenceLogged)
			s.putOutcome(b, e.attempt, outcome{Result: txn.OutcomeNo})
		}
	case c.Barrier != 0:
		e.barrier = c.Barrier
	case c.Collect != nil:
		s.applyCollect(*c.Collect)
	case c.ReadTSBound != nil:
		s.applyMaxReadTS(*c.ReadTSBound)
	case c.Switch != nil:
		e.protocol = s.applyProtocol(*c.Switch)
	}
	return e
}

// putApplied writes the applied index of the batch: once, after its last command.
func (s *state) putApplied(b *store.Batch) {
	if !s.ephemeral {
		s.putRetired(b)
		b.Set(s.key('a'), txn.Encode(s.applied))
	}
}

// putRetired writes the moved marks, and deletes the outcomes below them
// one by one, since a range deletion would have to search for its contents.
func (s *state) putRetired(b *store.Batch) {
	for _, inc := range s.moved {
		b.Set(attemptKey(s.prefix, 'w', markOf(inc)), txn.Encode(storedRetired{inc.Node, inc.Epoch, s.retired[inc]}))
	}
	for _, a := range s.dropped {
		b.Delete(attemptKey(s.prefix, 'o', a))
	}
	s.moved, s.dropped = s.moved[:0], s.dropped[:0]
}

func (s *state) applyVote(b *store.Batch, place int, v *voteCmd, now int64) effect {
	s.retire(v.Attempt.Incarnation(), v.Retired)
	e := effect{attempt: v.Attempt}
	if _, fenced := s.outcomes.Get(v.Attempt); fenced || s.isRetired(v.Attempt) {
		e.void = true
		return e
	}
	s.applied.MaxTS = max(s.applied.MaxTS, v.Proposed)
	e.voted = v
	if v.OnePhase {
		s.write(b, v.Writes, v.Proposed, v.Attempt)
		s.putOutcome(b, v.Attempt, outcome{txn.OutcomeCommitted, v.Proposed})
		e.commit, e.visible = true, v.Writes
		return e
	}
	p := &prepared{*v, s.applied.Index, place, now}
	s.resolveKnown(p)
	s.prepared[v.Attempt] = p
	s.pending.Add(v.Writes)
	s.dependents.Add(p.Attempt, p.Deps)
	s.dependents.Add(p.Attempt, p.AssumesAborted)
	s.fenceAborted(b, v.PriorityAborted)
	s.putVote(b, p)
	return e
}

func (s *state) putVote(b *store.Batch, p *prepared) {
	if !s.ephemeral {
		b.Set(attemptKey(s.prefix, 'p', p.Attempt), txn.Encode(storedVote{p.voteCmd, p.index, p.chainIndex}))
	}
}

func (s *state) applyDecide(b *store.Batch, d decideCmd) effect {
	e := effect{attempt: d.Attempt, commit: d.Commit}
	p := s.prepared[d.Attempt]
	if p == nil { // decided before, or an abort without a vote here
		if _, known := s.outcomes.Get(d.Attempt); !known && !d.Commit && !s.isRetired(d.Attempt) {
			s.putOutcome(b, d.Attempt, outcome{Result: txn.OutcomeAborted})
		}
		e.fenced = true
		return e
	}
	delete(s.prepared, d.Attempt)
	s.pending.Remove(p.Writes)
	if !s.ephemeral {
		b.Delete(attemptKey(s.prefix, 'p', d.Attempt))
	}
	s.resolve(b, d.Attempt, d.Commit)
	e.ended = p
	if !d.Commit {
		s.putOutcome(b, d.Attempt, outcome{Result: txn.OutcomeAborted})
		return e
	}
	s.applied.MaxTS = max(s.applied.MaxTS, d.At)
	if p.FixedSet != nil {
		whole := *p
		whole.Writes = d.Writes
		p, e.ended = &whole, &whole
	}
	s.write(b, p.Writes, d.At, d.Attempt)
	s.putOutcome(b, d.Attempt, outcome{txn.OutcomeCommitted, d.At})
	e.visible = p.Writes
	return e
}

func (s *state) write(b *store.Batch, writes []txn.Write, at txn.Timestamp, by txn.Version) {
	for _, w := range writes {
		s.cache.Put(b, w, at, by)
	}
}

func (s *state) putOutcome(b *store.Batch, a txn.Attempt, o outcome) {
	if _, known := s.outcomes.Get(a); known {
		return
	}
	s.outcomes.Set(a, o)
	if !s.ephemeral {
		b.Set(attemptKey(s.prefix, 'o', a), txn.Encode(storedOutcome{a, o}))
	}
}

// retire drops the outcomes of a coordinator's ended attempts.
func (s *state) retire(inc txn.Incarnation, below uint64) {
	old := s.retired[inc]
	if below <= old {
		return
	}
	s.retired[inc] = below
	lo := txn.Attempt{Node: inc.Node, Epoch: inc.Epoch, Seq: old}
	hi := txn.Attempt{Node: inc.Node, Epoch: inc.Epoch, Seq: below}
	dropped := s.outcomes.DropBelow(lo, hi)
	if s.ephemeral {
		return
	}
	s.dropped = append(s.dropped, dropped...)
	if !slices.Contains(s.moved, inc) {
		s.moved = append(s.moved, inc)
	}
}
