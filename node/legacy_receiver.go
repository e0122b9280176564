package node

import "isochron/txn"

// This file alone infers the receiver of a message from its type: nodes of the version
// before the envelope's Part do not send it. New messages have no case here, because no
// such node sends them; when that version is no longer in use, the file can be deleted.

// inferReceiver returns the receiver of a message without one.
func inferReceiver(m *txn.Message) (txn.For, txn.ShardID) {
	switch {
	case m.ContentionQuery != nil || m.Drained != nil:
		return txn.ForNode, 0
	case m.Accepted != nil:
		return txn.ForCoordinator | txn.ForParticipant, m.Accepted.Shard
	case forCoordinator(m):
		return txn.ForCoordinator, 0
	}
	return txn.ForParticipant, shardOf(m)
}

func forCoordinator(m *txn.Message) bool {
	return m.AccessReply != nil || m.Vote != nil || m.DecideAck != nil || m.InquireReply != nil ||
		m.NotLeader != nil || m.Wounded != nil || m.TxnStatusQuery != nil ||
		m.Ack != nil || m.DependencyDecided != nil || m.QueryDecision != nil || m.Decision != nil ||
		m.ReplicaVote != nil || m.Accepted != nil || m.ContentionReply != nil ||
		m.DeadlockProbe != nil && m.DeadlockProbe.Shard == 0
}

// shardOf returns the shard that a message to a replica is for.
func shardOf(m *txn.Message) txn.ShardID {
	switch {
	case m.Raft != nil:
		return m.Raft.Shard
	case m.Access != nil:
		return m.Access.Shard
	case m.Prepare != nil:
		return m.Prepare.Shard
	case m.Decide != nil:
		return m.Decide.Shard
	case m.PreCommit != nil:
		return m.PreCommit.Shard
	case m.Inquire != nil:
		return m.Inquire.Shard
	case m.Reserve != nil:
		return m.Reserve.Shard
	case m.Publish != nil:
		return m.Publish.Shard
	case m.Release != nil:
		return m.Release.Shard
	case m.TxnStatusReply != nil:
		return m.TxnStatusReply.Shard
	case m.DeadlockProbe != nil:
		return m.DeadlockProbe.Shard
	case m.DeadlockConfirm != nil:
		return m.DeadlockConfirm.Shard
	case m.SnapFetch != nil:
		return m.SnapFetch.Shard
	case m.SnapChunk != nil:
		return m.SnapChunk.Shard
	}
	return unorderedShardOf(m)
}

// unorderedShardOf is shardOf for the messages of replicas without a log.
func unorderedShardOf(m *txn.Message) txn.ShardID {
	switch {
	case m.SlowPathRequest != nil:
		return m.SlowPathRequest.Shard
	case m.Accept != nil:
		return m.Accept.Shard
	case m.Accepted != nil:
		return m.Accepted.Shard
	case m.ChangeView != nil:
		return m.ChangeView.Shard
	case m.ViewRecord != nil:
		return m.ViewRecord.Shard
	case m.StartView != nil:
		return m.StartView.Shard
	case m.AntiEntropyRequest != nil:
		return m.AntiEntropyRequest.Shard
	case m.AntiEntropyReply != nil:
		return m.AntiEntropyReply.Shard
	}
	return 0
}
