package coordinator

import (
	"slices"

	"isochron/coverage"
	"isochron/decide"
	"isochron/txn"
)

// forwardsMost bounds the reads that wait here for the commit of one attempt.
const forwardsMost = 64

// onForward handles a forwarded read: a prepare somewhere waits for an attempt and reads its writes
// (Natto section 3.4). The read is answered when the attempt has committed, before its participants
// know.
func onForward(cs *commitManager, m *txn.Forward) {
	k := cs.all[m.Attempt]
	if k == nil || len(k.forwards) >= forwardsMost {
		return // its leader will answer it
	}
	k.forwards = append(k.forwards, m)
	if k.Decided() {
		answerForwarded(cs, k)
	}
}

// answerForwarded answers the reads that wait for a decided attempt.
func answerForwarded(cs *commitManager, k *pendingCommit) {
	verdict, _ := k.Verdict()
	for _, m := range k.forwards {
		if verdict != decide.Commit && !cs.cfg.Params.InjectedBugs.ForwardAborted {
			break
		}
		cs.cfg.Params.Rules.Hit(coverage.ForwardedReads)
		writes, rows := decide.WritesAt(k.Attempt, m.Shard), slices.Clone(m.Rows)
		for i, row := range rows {
			if at := slices.IndexFunc(writes, func(w txn.Write) bool { return w.Key == row.Key }); at >= 0 {
				rows[i] = rowBy(writes[at], k.ID)
			}
		}
		cs.decider.Env.Send(txn.Coordinator(m.Reader.Node), txn.Message{FixedSetReads: &txn.FixedSetReads{Shard: m.Shard, Attempt: m.Reader, Rows: rows}})
	}
	k.forwards = nil
}

// rowBy is a row as written by an attempt.
func rowBy(w txn.Write, by txn.Attempt) txn.Row {
	if w.Value == nil {
		return txn.Row{Key: w.Key}
	}
	return txn.Row{Key: w.Key, Value: w.Value, Version: by}
}
