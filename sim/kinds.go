package sim

import "isochron/txn"

// kindOf names a message for the counts: the rare ones tell which paths a hunt
// has been on.
func kindOf(m *txn.Message) string {
	switch {
	case m.Raft != nil:
		return "raft"
	case m.Access != nil:
		return "access"
	case m.AccessReply != nil:
		return "access reply"
	case m.Prepare != nil:
		return "prepare"
	case m.Vote != nil && m.Vote.Yes:
		return "vote yes"
	case m.Vote != nil:
		return "vote no"
	case m.Decide != nil:
		return "decide"
	case m.DecideAck != nil:
		return "decide ack"
	case m.Inquire != nil:
		return "inquire"
	case m.Finding != nil:
		return "finding " + [...]string{"nothing", "yes", "no", "committed", "aborted"}[m.Finding.Result]
	}
	if kind := cocoordinateKind(m) + integratedKind(m); kind != "" {
		return kind
	}
	return upkeepKind(m)
}

func cocoordinateKind(m *txn.Message) string {
	switch {
	case m.Ack != nil && m.Ack.No:
		return "ack no"
	case m.Ack != nil && m.Ack.Replica == 0:
		return "ack of a vote alone"
	case m.Ack != nil:
		return "ack"
	case m.PreCommit != nil:
		return "pre-commit"
	case m.Resolved != nil && m.Resolved.Doomed:
		return "resolved doomed"
	case m.Resolved != nil:
		return "resolved"
	case m.Recall != nil:
		return "recall"
	case m.Decision != nil:
		return "decision"
	}
	return ""
}

func upkeepKind(m *txn.Message) string {
	switch {
	case m.Publish != nil:
		return "publish"
	case m.Release != nil:
		return "release"
	case m.Wounded != nil && m.Wounded.Cascade:
		return "wounded with another"
	case m.Wounded != nil:
		return "wounded"
	case m.Chase != nil && m.Chase.Shard == 0:
		return "chase to a coordinator"
	case m.Chase != nil:
		return "chase to a leader"
	case m.Recheck != nil:
		return "recheck"
	case m.Probe != nil:
		return "probe"
	case m.ProbeReply != nil:
		return "probe reply"
	case m.NotLeader != nil:
		return "not leader"
	case m.SnapFetch != nil:
		return "snapshot fetch"
	case m.SnapChunk != nil:
		return "snapshot chunk"
	case m.Drained != nil:
		return "drained"
	}
	return "other"
}

// attemptOf is the attempt that a message is about, if any.
func attemptOf(m *txn.Message) (txn.Attempt, bool) {
	switch {
	case m.Prepare != nil:
		return m.Prepare.Attempt, true
	case m.Vote != nil:
		return m.Vote.Attempt, true
	case m.Decide != nil:
		return m.Decide.Attempt, true
	case m.DecideAck != nil:
		return m.DecideAck.Attempt, true
	case m.Inquire != nil:
		return m.Inquire.Attempt, true
	case m.Finding != nil:
		return m.Finding.Attempt, true
	case m.Ack != nil:
		return m.Ack.Attempt, true
	case m.PreCommit != nil:
		return m.PreCommit.Attempt, true
	case m.Resolved != nil:
		return m.Resolved.Attempt, true
	case m.Recall != nil:
		return m.Recall.Attempt, true
	case m.Decision != nil:
		return m.Decision.Attempt, true
	}
	return integratedAttempt(m)
}
