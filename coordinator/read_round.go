package coordinator

import (
	"time"

	"isochron/coverage"
	"isochron/estimate"
	"isochron/routing"
	"isochron/txn"
)

// round is one pending round of a request.
type round struct {
	t      *transaction
	req    *Request
	lock   txn.Lock
	asked  []*shardRequest // in the order of their numbers
	open   int             // unanswered parts
	final  bool
	at     txn.Timestamp // the maximum of the replies to WantReadTS
	asOf   txn.Timestamp // the timestamp that is read, 0: the newest rows
	wide   bool
	pieces [][]*scanFragment // of each scan, in the order of its result
	scans  []txn.Scan
	began  time.Duration
	parts  []txn.PartReport // answered
	locks  bool             // a part requests locks
	held   []*shardRequest  // leave when all others are answered
	// Of statements: their results, and the first failure.
	results   []txn.SourceResult
	fault     *txn.Error
	faultAt   int
	committed bool // by its only source
}

// scanFragment is one shard's share of a scan.
type scanFragment struct {
	scan txn.Scan // the rest that is still to be read
	rows []txn.Row
	done bool
	more bool // of its last reply
}

// shardRequest is one pending Access.
type shardRequest struct {
	id       uint64
	r        *round
	access   *txn.Access
	pieces   []*scanFragment // of access.Scans
	items    []int           // of access.Work: their indexes among the round's statements
	named    []txn.Key       // the records of these
	warm     bool            // for records that are updated often: see temperatures
	to       txn.NodeID
	term     uint64 // the newest known when it was sent to a leader; 0: it was not
	wakeAt   time.Duration
	leavesAt time.Duration // departure time of a delayed part
	deadline time.Duration
	tries    int
	began    time.Duration
	work     estimate.AdmittedPart
}

// newPart allocates a part and its request in one piece of memory.
func newPart(r *round, a txn.Access) *shardRequest {
	p := &struct {
		shardRequest
		access txn.Access
	}{shardRequest{r: r}, a}
	p.shardRequest.access = &p.access
	return &p.shardRequest
}

// reads runs rounds of reads: it sends the requests to the shards, collects the replies, and
// answers the client.
type reads struct {
	cfg            *Config
	env            readEnv
	policy         *policy
	classes        *classes
	leaders        *leaders
	numbers        *requestNumbers
	reports        *reports
	protocolSwitch *protocolSwitch
	recent         *recentWrites
	clock          *txn.Clock
	snapshotReads  *snapshotReads
	forecasts      *forecasts
	executor       executor

	temperatures *temperatures

	parts      map[uint64]*shardRequest // unanswered requests, by number
	departures []*shardRequest          // parts that have not left, in order
}

// readEnv is the part of the node that reads uses.
type readEnv interface {
	Now() txn.Now
	Send(to txn.Address, m txn.Message)
	Directory() *routing.Directory
	Nearest(s txn.ShardID) txn.NodeID
	Wide(n txn.NodeID) bool
	RoundTrip(n txn.NodeID) (rtt time.Duration, ok bool)
}

// executor continues a transaction after a round, or ends it.
type executor interface {
	commit(t *transaction, req *Request, writes []txn.Write)
	committed(t *transaction, req *Request) // with its statements
	fail(t *transaction, err *txn.Error)
}

// readDeadline bounds a round besides its waits for locks.
const readDeadline = 10 * time.Second

// begin starts a round; rows already known are not requested again.
func (rs *reads) begin(t *transaction, req *Request) {
	if len(req.Read.Gets) > 0 {
		rs.classes.begins(t, req.Read.Gets[0])
	} else if len(req.Read.Scans) > 0 {
		rs.classes.begins(t, req.Read.Scans[0].Span.Start)
	}
	r := &round{t: t, req: req, lock: rs.policy.lockOf(t, req.Read, 0), asOf: rs.snapshotReads.of(t, req)}
	if rs.policy.expectsAbsent(t, req) {
		rs.expectAbsent(r)
		return
	}
	known, among := t.readSet(r.asOf), &roundSplitter{rs: rs, r: r}
	var asked map[txn.Key]bool
	if len(req.Read.Gets) > 1 {
		asked = make(map[txn.Key]bool, len(req.Read.Gets))
	}
	for _, k := range req.Read.Gets {
		have, held := known.get(k)
		if held && have.lock >= r.lock && !req.Read.ForWrite || asked[k] {
			continue
		}
		if asked != nil {
			asked[k] = true
		}
		s, ok := rs.env.Directory().ShardOf(string(k))
		if !ok {
			req.answer(t.response(txn.Errorf(txn.KindInvalidRequest, "no shard holds the key %q", k)))
			return
		}
		if held && have.lock >= rs.policy.lockOf(t, req.Read, txn.ShardID(s)) {
			continue
		}
		p := among.of(txn.ShardID(s), k)
		p.access.Keys = append(p.access.Keys, k)
	}
	if err := rs.cutScans(r, among); err != nil {
		req.answer(t.response(err))
		return
	}
	t.final = false
	parts := among.parts
	if len(parts) == 0 {
		rs.finish(r)
		return
	}
	t.round, r.began = r, rs.env.Now().Mono
	t.stats.Rounds++
	r.final = req.Read.OnlyRead && rs.policy.byLease() && r.asOf == 0 && t.level == txn.Serializable && len(parts) == 1 && t.stats.Rounds == 1
	if rs.classes.matter() {
		rs.classes.touchAll(t, parts)
	}
	fresh := len(parts) == 1 && !t.locked()
	for _, p := range parts {
		p.access.Age = t.age
		p.access.HoldsNothing, p.access.WaitsOnlyHere, p.access.CommittedOnly = fresh, len(parts) == 1, rs.policy.committedOnly(t)
		if r.final {
			p.access.OnlyRead = true
			p.access.Lock = req.Read.Lock
			p.access.SchemaChecks = schemaChecksAt(req.SchemaChecks, p.access.Shard)
		}
		rs.add(p)
	}
	rs.leave(parts)
}

// expectAbsent takes the rows of an update for absent without reading them; the vote checks it.
func (rs *reads) expectAbsent(r *round) {
	rs.cfg.Params.Rules.Hit(coverage.ExpectsAbsent)
	r.t.expectsAbsent, r.t.final = true, false
	for _, k := range r.req.Read.Gets {
		r.t.seen.note(txn.Row{Key: k}, txn.LockNone, false)
	}
	rs.finish(r)
}

// cutScans divides the scans among the shards that hold them.
func (rs *reads) cutScans(r *round, among *roundSplitter) *txn.Error {
	for _, s := range r.req.Read.Scans {
		r.scans = append(r.scans, s)
		if rows, ok := r.t.readSet(r.asOf).scans[scanKey{s, r.lock}]; ok && r.req.Read.Wait != txn.LookLocked {
			r.pieces = append(r.pieces, []*scanFragment{{rows: rows, done: true}})
			continue
		}
		cut, err := rs.env.Directory().Pieces(string(s.Span.Start), string(s.Span.End))
		if err != nil {
			return txn.Errorf(txn.KindInvalidRequest, "%v", err)
		}
		var pieces []*scanFragment
		for i := range cut {
			j := i
			if s.Reverse {
				j = len(cut) - 1 - i
			}
			pc := &scanFragment{scan: txn.Scan{
				Span: txn.Span{Start: txn.Key(cut[j].Start), End: txn.Key(cut[j].End)}, Limit: s.Limit, Reverse: s.Reverse}}
			pieces = append(pieces, pc)
			p := among.ofRange(txn.ShardID(cut[j].Shard), pc.scan.Span)
			p.access.Scans = append(p.access.Scans, pc.scan)
			p.pieces = append(p.pieces, pc)
		}
		r.pieces = append(r.pieces, pieces)
	}
	return nil
}

// add adds a part that is to be sent to the round.
func (rs *reads) add(p *shardRequest) {
	now := rs.env.Now().Mono
	a := p.access
	a.Nearest = rs.near(p, now)
	a.Temperatures = rs.temperatures.asks(a.Shard)
	wait := rs.cfg.Params.LockWait
	if p.r.t.lockWait > 0 {
		wait = time.Duration(p.r.t.lockWait) * time.Millisecond
	}
	p.began = now
	p.deadline = now + rs.patience(p, wait)
	p.id = rs.numbers.take()
	a.Request = p.id
	rs.parts[p.id] = p
	p.r.asked = append(p.r.asked, p)
	p.r.open++
	tc := p.r.t.touches(a.Shard)
	if a.Lock != txn.LockNone {
		p.r.locks, tc.locked = true, true
	}
	rs.classes.mark(p)
}

// near reports whether any replica may answer a part, and the nearest is to.
func (rs *reads) near(p *shardRequest, now time.Duration) bool {
	a, spec := p.access, &rs.cfg.Spec
	switch {
	case a.Batch != nil:
		return false
	case a.AsOf != 0 && rs.snapshotReads.settled(p.r), spec.Reads.Leaderless():
		return true
	case a.AsOf != 0 || a.Lock != txn.LockNone || a.OnlyRead || a.WantReadTS || rs.policy.readsAtLeader(p.r.t, p.warm):
		return false
	case !rs.cfg.Params.NearAsIs && rs.recent.touches(now, a):
		return false
	}
	return spec.Reads.ByTemperature() || !p.r.t.touches(a.Shard).led
}
