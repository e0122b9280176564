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

// Where decisions are logged before anybody is told (decide.LoggedDecision) each is a row
// of the shard that every Prepare of the attempt names, written by a transaction of the
// coordinator's own if nothing is there.
//
// The coordinator takes the rows away again of attempts whose end every participant has,
// and says in the same step how far it has come (the retired row): who would end such an
// attempt later finds no row, and learns from the other that there is nothing to end.
// What others wrote to end attempts of a coordinator that never came back stays.
//
// Of a declared attempt the row is what it writes (decide/data.go), by the same rules.

// recordOf names the row of an attempt's decision, and retiredOf the one that says below
// which attempts of an incarnation all are finished everywhere.
func recordOf(a txn.Attempt) string { return fmt.Sprintf("decision/%d/%d/%d", a.Node, a.Epoch, a.Seq) }

func retiredOf(a txn.Attempt) string { return fmt.Sprintf("decided/%d/%d", a.Node, a.Epoch) }

func localKey(s txn.ShardID, name string) txn.Key { return txn.Key(routing.LocalKey(uint64(s), name)) }

// What the row says. decodeDecision reads it; what it cannot read says nothing.
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

func decodeDecision(v []byte) (says decide.LogAnswer) {
	said := string(v)
	if said == recordAbort {
		return decide.LogAnswer{Known: true}
	}
	if number, ok := strings.CutPrefix(said, recordCommit); ok {
		n, err := strconv.ParseUint(number, 10, 64)
		return decide.LogAnswer{Known: err == nil, Commit: err == nil, At: txn.Timestamp(n)}
	}
	if data, ok := strings.CutPrefix(said, recordData); ok {
		err := txn.Decode([]byte(data), &says.Data)
		says.Known, says.Commit = err == nil, err == nil
	}
	return says
}

// retiredBelow is what a retired row says: all attempts below it are finished.
func retiredBelow(v []byte) uint64 {
	n, err := strconv.ParseUint(string(v), 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// decisions has decisions logged, and takes the rows away that are of no use any more.
type decisions struct {
	cfg      *Config
	env      decisionEnv
	leaders  *leaders
	attempts *attempts
	txns     transactions
	submit   func(*Request)                      // runs the transactions that log decisions
	rule     func(txn.Attempt, decide.LogAnswer) // hears what they have found

	rows    map[txn.ShardID][]uint64 // the attempts whose rows may go, by where these are
	count   int
	sweepAt time.Duration
	ends    []txn.ID
}

// decisionEnv is what decisions needs of the node.
type decisionEnv interface {
	Directory() *routing.Directory
	Wide(n txn.NodeID) bool
}

// The bounds of what is taken away together, and of what waits for that.
const (
	expungeBatch = 256
	expungeMax   = 65_536
	expungeEvery = time.Second
)

// takeBelow takes some of a shard's attempts out that are below a number.
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

// place is where an attempt's decision is logged, 0 if it is not: the log of a
// single participant is its decision, unless sources are asked twice. A shard that is led from this region costs the
// least, one of the participants before others.
func (d *decisions) place(participants []txn.ShardID, b *branches) txn.ShardID {
	switch {
	case len(participants) < 2 && (b == nil || !d.cfg.Spec.Prepares.Validates()) || d.cfg.Spec.Prepares == decide.NoPrepare:
		return 0
	case b != nil: // whatever the row says of others, nobody can look up how a source has voted
		return b.decidedAt
	case !d.cfg.Spec.Decide.Logs():
		return 0
	}
	return d.placeNear(participants)
}

// placeNear is where a decision on these participants is logged best.
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

// ofRecord begins what reads and writes the record of an attempt. A shard takes it also while it
// changes its protocol, and whatever this gateway goes by: what is undecided there may wait for it.
var ofRecord = Start{SystemTxn: true, Record: true}

// logCommit writes an attempt's commit, unless somebody has ended it.
func (d *decisions) logCommit(id txn.Attempt, s txn.ShardID, at txn.Timestamp) {
	d.logOwn(id, s, encodeCommit(at), decide.LogAnswer{Known: true, Commit: true, At: at})
}

// logData writes what a declared attempt writes, unless somebody has ended it.
func (d *decisions) logData(id txn.Attempt, s txn.ShardID, data []txn.ShardWrites) {
	d.logOwn(id, s, encodeData(data), decide.LogAnswer{Known: true, Commit: true})
}

// logOwn writes what an own attempt's row is to say, if it says nothing yet.
func (d *decisions) logOwn(id txn.Attempt, s txn.ShardID, row []byte, says decide.LogAnswer) {
	name := recordOf(id)
	d.submit(&Request{
		Op: OpCommit, From: ofRecord, SchemaChecks: []SchemaCheck{{Name: name}},
		Writes: []txn.Write{{Key: localKey(s, name), Value: row}},
		Done: func(r Response) {
			if r.Err == nil {
				d.rule(id, says)
			} else { // it may be there all the same, or somebody may have ended it
				d.read(id, s)
			}
		}})
}

// read looks who has decided. What is read may be old, but a row that is there
// stays what it is.
func (d *decisions) read(id txn.Attempt, s txn.ShardID) {
	var said []byte
	d.submit(&Request{
		Op: OpUpdate, From: ofRecord, Read: txn.Read{Gets: []txn.Key{localKey(s, recordOf(id))}},
		Then: func(rows []txn.Row) ([]txn.Write, bool) {
			said = rows[0].Value
			return nil, false
		},
		Done: func(r Response) {
			d.endsLater(r.Txn)
			d.rule(id, decodeDecision(said))
		}})
}

// logAbort ends an attempt whose coordinator seems lost, unless it has logged a commit.
// What is read may be old here too: the retired row only rises, and what is written rests
// on both being what they were.
func (d *decisions) logAbort(id txn.Attempt, s txn.ShardID) {
	record, retired := localKey(s, recordOf(id)), localKey(s, retiredOf(id))
	var says decide.LogAnswer
	d.submit(&Request{
		Op: OpUpdate, From: ofRecord, Read: txn.Read{Gets: []txn.Key{record, retired}, ForWrite: true},
		Then: func(rows []txn.Row) ([]txn.Write, bool) {
			says = decodeDecision(rows[0].Value)
			says.Finished = id.Seq < retiredBelow(rows[1].Value)
			if says.Known || says.Finished {
				return nil, false
			}
			return []txn.Write{{Key: record, Value: []byte(recordAbort)}}, true
		},
		Done: func(r Response) {
			d.endsLater(r.Txn)
			if r.Err == nil && !r.Declined {
				says = decide.LogAnswer{Known: true}
			}
			d.rule(id, says)
		}})
}

// endsLater ends a transaction of the coordinator's own that came to nothing.
func (d *decisions) endsLater(id txn.ID) {
	if !id.IsZero() && d.txns[id] != nil {
		d.ends = append(d.ends, id)
	}
}

// expunge notes that an own attempt's row may go; beyond its bound it stays.
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

// sweep takes rows away that are of no use any more.
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

// takeAway deletes the rows of finished attempts and says below which all are finished.
// If that fails they stay.
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

// nextWake is when rows of decisions are to be taken away.
func (d *decisions) nextWake() time.Duration {
	switch {
	case len(d.ends) > 0:
		return 0
	case d.count > 0:
		return d.sweepAt
	}
	return txn.Never
}
