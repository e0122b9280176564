package coordinator

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"isochron/decide"
	"isochron/routing"
	"isochron/txn"
)

// Where decisions are logged before any participant is notified (decide.LoggedDecision), each is a
// row of the shard that every Prepare of the attempt names, written by a transaction of the
// coordinator's own if there is no row.
//
// The coordinator deletes the rows of attempts whose decision every participant knows, and records
// in the same step how far it has come (the retired row): a node that would end such an attempt
// later finds no row, and learns from the retired row that there is nothing to end. Rows that other
// nodes wrote, to end attempts of a coordinator that never returned, remain.
//
// For a 2FI attempt the row has its writes (decide/data.go), by the same rules.

// recordOf is the row of an attempt's decision; retiredOf is the row with the number below which
// all attempts of an incarnation are finished everywhere.
func recordOf(a txn.Attempt) string { return fmt.Sprintf("decision/%d/%d/%d", a.Node, a.Epoch, a.Seq) }

func retiredOf(a txn.Attempt) string { return fmt.Sprintf("decided/%d/%d", a.Node, a.Epoch) }

func localKey(s txn.ShardID, name string) txn.Key { return txn.Key(routing.LocalKey(uint64(s), name)) }

// The contents of the row. decodeDecision parses them; anything else is no decision.
const (
	recordAbort  = "abort"
	recordCommit = "commit " // and the timestamp
	recordData   = "data "   // and the writes
)

func encodeCommit(at txn.Timestamp) []byte {
	return strconv.AppendUint([]byte(recordCommit), uint64(at), 10)
}

func encodeData(data []txn.ShardWrites) []byte {
	return append([]byte(recordData), txn.Encode(data)...)
}

func decodeDecision(v []byte) (answer decide.LogAnswer) {
	content := string(v)
	if content == recordAbort {
		return decide.LogAnswer{Known: true}
	}
	if number, ok := strings.CutPrefix(content, recordCommit); ok {
		n, err := strconv.ParseUint(number, 10, 64)
		return decide.LogAnswer{Known: err == nil, Commit: err == nil, At: txn.Timestamp(n)}
	}
	if data, ok := strings.CutPrefix(content, recordData); ok {
		err := txn.Decode([]byte(data), &answer.Data)
		answer.Known, answer.Commit = err == nil, err == nil
	}
	return answer
}

// retiredBelow is the content of a retired row: all attempts below it are finished.
func retiredBelow(v []byte) uint64 {
	n, err := strconv.ParseUint(string(v), 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// decisions logs decisions, and deletes rows that are no longer needed.
type decisions struct {
	cfg      *Config
	env      decisionEnv
	leaders  *leaders
	attempts *attempts
	txns     transactions
	submit   func(*Request)                      // runs the transactions that log decisions
	rule     func(txn.Attempt, decide.LogAnswer) // receives their results

	rows    map[txn.ShardID][]uint64 // attempts whose rows may be deleted, by shard
	count   int
	sweepAt time.Duration
	ends    []txn.ID
}

// decisionEnv is the part of the node that decisions uses.
type decisionEnv interface {
	Directory() *routing.Directory
	Wide(n txn.NodeID) bool
}

// The bounds of one deletion, and of the rows that wait for it.
const (
	expungeBatch = 256
	expungeMax   = 65_536
	expungeEvery = time.Second
)

// takeBelow removes and returns some of a shard's attempts below a number.
func (d *decisions) takeBelow(s txn.ShardID, below uint64) []uint64 {
	var closed, rest []uint64
	for _, seq := range d.rows[s] {
		if seq < below && len(closed) < expungeBatch {
			closed = append(closed, seq)
		} else {
			rest = append(rest, seq)
		}
	}
	if d.rows[s] = rest; len(rest) == 0 {
		delete(d.rows, s)
	}
	d.count -= len(closed)
	return closed
}

// place returns the shard where an attempt's decision is logged, 0 if it is not: the log of a
// single participant is its decision, unless sources are asked twice. A shard led from this region
// costs least, preferably a participant.
func (d *decisions) place(participants []txn.ShardID, b *branches) txn.ShardID {
	switch {
	case len(participants) < 2 && (b == nil || !d.cfg.Spec.Prepares.Validates()) || d.cfg.Spec.Prepares == decide.NoPrepare:
		return 0
	case b != nil: // in every protocol: a source's vote cannot be looked up
		return b.decidedAt
	case !d.cfg.Spec.Decide.Logs():
		return 0
	}
	return d.placeNear(participants)
}

// placeNear is the cheapest shard to log a decision on these participants.
func (d *decisions) placeNear(participants []txn.ShardID) txn.ShardID {
	dir, native := d.env.Directory(), txn.MetaShard
	near := func(s txn.ShardID) bool {
		n := d.leaders.likely(s) // a gateway without replicas may have asked none of them before
		return n != 0 && !d.env.Wide(n)
	}
	for _, s := range slices.Backward(participants) {
		if e, ok := dir.Shard(uint64(s)); ok && e.Kind.Native() {
			if native = s; near(s) {
				return s
			}
		}
	}
	for _, e := range dir.Shards {
		if s := txn.ShardID(e.ID); s != txn.MetaShard && e.Kind.Native() && near(s) {
			return s
		}
	}
	return native
}

// ofRecord begins a transaction on an attempt's record. A shard accepts it during a protocol switch
// too, and under any protocol of this gateway: undecided attempts there may wait for it.
var ofRecord = Start{SystemTxn: true, Record: true}

// logCommit writes an attempt's commit, unless another node has ended the attempt.
func (d *decisions) logCommit(id txn.Attempt, s txn.ShardID, at txn.Timestamp) {
	d.logOwn(id, s, encodeCommit(at), decide.LogAnswer{Known: true, Commit: true, At: at})
}

// logData writes a 2FI attempt's writes, unless another node has ended the attempt.
func (d *decisions) logData(id txn.Attempt, s txn.ShardID, data []txn.ShardWrites) {
	d.logOwn(id, s, encodeData(data), decide.LogAnswer{Known: true, Commit: true})
}

// logOwn writes an own attempt's row, if there is none.
func (d *decisions) logOwn(id txn.Attempt, s txn.ShardID, row []byte, answer decide.LogAnswer) {
	name := recordOf(id)
	d.submit(&Request{
		Op: OpCommit, From: ofRecord, SchemaChecks: []SchemaCheck{{Name: name}},
		Writes: []txn.Write{{Key: localKey(s, name), Value: row}},
		Done: func(r Response) {
			if r.Err == nil {
				d.rule(id, answer)
			} else { // it may be written nevertheless, or another node may have ended the attempt
				d.read(id, s)
			}
		}})
}

// read reads the decision. The read may be stale, but an existing row never changes.
func (d *decisions) read(id txn.Attempt, s txn.ShardID) {
	var content []byte
	d.submit(&Request{
		Op: OpUpdate, From: ofRecord, Read: txn.Read{Gets: []txn.Key{localKey(s, recordOf(id))}},
		Then: func(rows []txn.Row) ([]txn.Write, bool) {
			content = rows[0].Value
			return nil, false
		},
		Done: func(r Response) {
			d.endsLater(r.Txn)
			d.rule(id, decodeDecision(content))
		}})
}

// logAbort ends an attempt whose coordinator seems lost, unless that has logged a commit. The reads
// may be stale here too: the retired row only rises, and the write is validated against both.
func (d *decisions) logAbort(id txn.Attempt, s txn.ShardID) {
	record, retired := localKey(s, recordOf(id)), localKey(s, retiredOf(id))
	var answer decide.LogAnswer
	d.submit(&Request{
		Op: OpUpdate, From: ofRecord, Read: txn.Read{Gets: []txn.Key{record, retired}, ForWrite: true},
		Then: func(rows []txn.Row) ([]txn.Write, bool) {
			answer = decodeDecision(rows[0].Value)
			answer.Finished = id.Seq < retiredBelow(rows[1].Value)
			if answer.Known || answer.Finished {
				return nil, false
			}
			return []txn.Write{{Key: record, Value: []byte(recordAbort)}}, true
		},
		Done: func(r Response) {
			d.endsLater(r.Txn)
			if r.Err == nil && !r.Declined {
				answer = decide.LogAnswer{Known: true}
			}
			d.rule(id, answer)
		}})
}

// endsLater ends a transaction of the coordinator's own that failed.
func (d *decisions) endsLater(id txn.ID) {
	if !id.IsZero() && d.txns[id] != nil {
		d.ends = append(d.ends, id)
	}
}

// expunge records that an own attempt's row may be deleted; beyond a bound it remains.
func (d *decisions) expunge(k *pendingCommit) {
	s, ok := k.Recorded()
	if !ok || k.t == nil || d.count >= expungeMax {
		return
	}
	if d.rows == nil {
		d.rows = map[txn.ShardID][]uint64{}
	}
	d.rows[s] = append(d.rows[s], k.ID.Seq)
	d.count++
}

// sweep deletes rows that are no longer needed.
func (d *decisions) sweep(now time.Duration) {
	for _, id := range d.ends {
		d.submit(&Request{Op: OpEnd, Txn: id})
	}
	d.ends = nil
	if d.count == 0 || now < d.sweepAt {
		return
	}
	d.sweepAt = now + expungeEvery
	below := d.attempts.retiredBelow()
	for _, s := range sortedShards(d.rows) {
		closed := d.takeBelow(s, below)
		if len(closed) > 0 {
			d.takeAway(s, closed, below)
		}
	}
}

// takeAway deletes the rows of finished attempts and records the number below which all are
// finished. If that fails they remain.
func (d *decisions) takeAway(s txn.ShardID, closed []uint64, below uint64) {
	own := txn.Attempt{Node: d.cfg.Self, Epoch: d.cfg.Epoch}
	key := localKey(s, retiredOf(own))
	d.submit(&Request{
		Op: OpUpdate, From: Start{SystemTxn: true}, Read: txn.Read{Gets: []txn.Key{key}, ForWrite: true},
		Then: func(rows []txn.Row) ([]txn.Write, bool) {
			highest := max(below, retiredBelow(rows[0].Value)) // it never falls
			writes := []txn.Write{{Key: key, Value: []byte(strconv.FormatUint(highest, 10))}}
			for _, seq := range closed {
				own.Seq = seq
				writes = append(writes, txn.Write{Key: localKey(s, recordOf(own))})
			}
			return writes, true
		},
		Done: func(r Response) { d.endsLater(r.Txn) },
	})
}

// nextWake is when rows of decisions are to be deleted.
func (d *decisions) nextWake() time.Duration {
	switch {
	case len(d.ends) > 0:
		return 0
	case d.count > 0:
		return d.sweepAt
	}
	return txn.Never
}
