package sim

import (
	"encoding/binary"

	"go.etcd.io/raft/v3/raftpb"

	"isochron/txn"
)

// appendGist appends the fields that distinguish one message from another, for the hash of a run
// whose messages are not encoded. The frequent kinds are written out, since it runs for each
// message; for the others it takes the wire form.
func appendGist(b []byte, m *txn.Message) []byte {
	switch {
	case m.Raft != nil:
		b = appendNumbers(append(b, 1), uint64(m.Raft.Shard), uint64(m.Raft.SentNanos), uint64(m.Raft.EchoNanos))
		if body, ok := m.Raft.Body.(*raftpb.Message); ok {
			return appendRaft(b, body)
		}
		return append(b, m.Raft.Data...)
	case m.Access != nil && len(m.Access.Scans) == 0:
		a := m.Access
		b = appendAttempt(append(b, 2, byte(a.Lock), byte(a.Wait), flag(a.Nearest), flag(a.OnlyRead)), txn.Attempt(a.Txn))
		b = appendNumbers(b, uint64(a.Shard), a.Request, uint64(a.AsOf))
		for _, k := range a.Keys {
			b = append(b, k...)
		}
		return b
	case m.AccessReply != nil && len(m.AccessReply.Scans) == 0:
		r := m.AccessReply
		b = appendNumbers(append(b, 3, byte(r.Refused), flag(r.HasUndecidedWrite), flag(r.OnlyRead)), uint64(r.Shard), r.Request, r.Term, uint64(r.At))
		for _, row := range r.Rows {
			b = append(appendAttempt(b, row.Version), row.Value...)
		}
		return b
	case m.Vote != nil:
		v := m.Vote
		return appendNumbers(appendAttempt(append(b, 4, flag(v.Yes), byte(v.Refused)), v.Attempt), uint64(v.Shard), uint64(v.Proposed))
	case m.Decide != nil:
		d := m.Decide
		return appendNumbers(appendAttempt(append(b, 5, flag(d.Commit)|flag(d.Tentative)<<1), d.Attempt), uint64(d.Shard), uint64(d.At))
	case m.Prepare != nil && len(m.Prepare.Spans) == 0:
		return appendPrepare(append(b, 7), m.Prepare)
	case m.Ack != nil:
		a := m.Ack
		b = appendAttempt(append(b, 8, flag(a.No), flag(a.Open), flag(a.AwaitsDecision)), a.Attempt)
		return appendNumbers(b, uint64(a.Shard), uint64(a.Replica), a.Term, a.Index, uint64(a.Proposed))
	case m.Decision != nil:
		return appendNumbers(appendAttempt(append(b, 9, flag(m.Decision.Commit)), m.Decision.Attempt), uint64(m.Decision.At))
	case m.DecideAck != nil:
		return appendNumbers(appendAttempt(append(b, 6+flag(m.DecideAck.Tentative)<<6), m.DecideAck.Attempt), uint64(m.DecideAck.Shard))
	}
	if m.ReplicaVote != nil || m.Accept != nil || m.Accepted != nil {
		return appendOpinion(b, m)
	}
	if wire, ok := appendWire(b, m); ok {
		return wire
	}
	return append(b, txn.Encode(m)...)
}

func appendPrepare(b []byte, p *txn.Prepare) []byte {
	b = appendAttempt(append(b, flag(p.ReadOnly), flag(p.OnePhase)), p.Attempt)
	b = appendNumbers(b, uint64(p.Shard), p.Term, p.LockTerm, p.Retired)
	if p.Validate {
		b = append(b, 1)
	}
	for _, checks := range [...][]txn.ReadCheck{p.Reads, p.SchemaChecks} {
		for _, c := range checks {
			b = appendAttempt(append(b, c.Key...), c.Version)
		}
	}
	for _, w := range p.Writes {
		b = append(append(append(b, w.Key...), flag(w.Value == nil)), w.Value...)
	}
	return b
}

func appendRaft(b []byte, m *raftpb.Message) []byte {
	b = appendNumbers(append(b, byte(m.GetType()), flag(m.GetReject())),
		m.GetTerm(), m.GetLogTerm(), m.GetIndex(), m.GetCommit(), m.GetRejectHint(), m.GetSnapshot().GetMetadata().GetIndex())
	for _, e := range m.GetEntries() {
		b = append(appendNumbers(append(b, byte(e.GetType())), e.GetTerm(), e.GetIndex()), e.GetData()...)
	}
	return b
}

// appendOpinion is appendGist for the most frequent messages of replicas without a log.
func appendOpinion(b []byte, m *txn.Message) []byte {
	switch {
	case m.ReplicaVote != nil:
		o := m.ReplicaVote
		b = appendAttempt(append(b, 20, byte(o.Result), byte(o.Refused), flag(o.Leads)), o.Attempt)
		return appendNumbers(b, uint64(o.Shard), uint64(o.Replica), o.View, uint64(o.Above), uint64(o.At))
	case m.Accept != nil:
		a := m.Accept
		b = appendAttempt(append(b, 21, flag(a.Yes)), a.Prepare.Attempt)
		return appendNumbers(b, uint64(a.Shard), a.View, uint64(a.Prepare.At))
	}
	a := m.Accepted
	b = appendAttempt(append(b, 22, flag(a.Yes)), a.Attempt)
	return appendNumbers(b, uint64(a.Shard), uint64(a.Replica), a.View, uint64(a.At))
}

func appendNumbers(b []byte, numbers ...uint64) []byte {
	for _, n := range numbers {
		b = binary.AppendUvarint(b, n)
	}
	return b
}

func appendAttempt(b []byte, a txn.Attempt) []byte {
	return appendNumbers(b, uint64(a.Node), uint64(a.Epoch), a.Seq)
}

func flag(on bool) byte {
	if on {
		return 1
	}
	return 0
}
