package sim

import (
	"bytes"
	"fmt"
	"strings"

	"go.etcd.io/raft/v3/raftpb"

	"isochron/raftgroup"
	"isochron/txn"
)

// messageFormatter formats messages for a trace.
type messageFormatter struct {
	// key prints a key; nil prints it quoted.
	key func(txn.Key) string
	// arrivalTime prints a time of the wall clocks; nil prints it in nanoseconds.
	arrivalTime func(nanos int64) string
	// node names a node.
	node func(txn.NodeID) string
}

// message returns "" for messages of maintenance alone: heartbeats, elections, empty appends, the
// leases of gateways.
func (w messageFormatter) message(m *txn.Message) string {
	switch {
	case m.Raft != nil:
		return w.raft(m.Raft)
	case m.Access != nil:
		return w.access(m.Access)
	case m.AccessReply != nil:
		return w.accessReply(m.AccessReply)
	case m.Prepare != nil:
		return w.prepare(m.Prepare)
	case m.Vote != nil:
		return w.vote(m.Vote)
	case m.Forward != nil:
		return w.forward(m.Forward)
	case m.FixedSetReads != nil:
		return w.served(m.FixedSetReads)
	case m.Decide != nil:
		return w.decide(m.Decide)
	case m.DecideAck != nil && m.DecideAck.Tentative:
		return fmt.Sprintf("DecideAck: at shard %d the outcome of %v is recorded", m.DecideAck.Shard, m.DecideAck.Attempt)
	case m.DecideAck != nil:
		return fmt.Sprintf("DecideAck: shard %d has the outcome of %v durably", m.DecideAck.Shard, m.DecideAck.Attempt)
	case m.Inquire != nil:
		return fmt.Sprintf("Inquire: outcome of %[2]v in the log of shard %[1]d?", m.Inquire.Shard, m.Inquire.Attempt)
	case m.InquireReply != nil:
		return w.finding(m.InquireReply)
	}
	if text := w.cocoordinate(m) + w.integrated(m); text != "" {
		return text
	}
	return w.upkeep(m)
}

// cocoordinate formats the messages of co-coordinators.
func (w messageFormatter) cocoordinate(m *txn.Message) string {
	switch {
	case m.Ack != nil && m.Ack.No:
		return fmt.Sprintf("Ack: shard %d votes No on %v", m.Ack.Shard, m.Ack.Attempt)
	case m.Ack != nil && m.Ack.Replica == 0:
		return fmt.Sprintf("Ack: shard %d votes Yes on %v%s", m.Ack.Shard, m.Ack.Attempt, conditions(m.Ack.Open, false))
	case m.Ack != nil:
		return fmt.Sprintf("Ack: %s has entry %d (term %d) of shard %d on disk: Yes to %v%s",
			w.node(m.Ack.Replica), m.Ack.Index, m.Ack.Term, m.Ack.Shard, m.Ack.Attempt, conditions(m.Ack.Open, false))
	case m.PreCommit != nil:
		return fmt.Sprintf("PreCommit: every participant voted Yes on %v, shard %d may reveal it", m.PreCommit.Attempt, m.PreCommit.Shard)
	case m.DependencyDecided != nil && m.DependencyDecided.Assumed:
		return fmt.Sprintf("DependencyDecided: at shard %d the transactions assumed aborted by %v have aborted: %v", m.DependencyDecided.Shard, m.DependencyDecided.Attempt, !m.DependencyDecided.Doomed)
	case m.DependencyDecided != nil && m.DependencyDecided.Doomed:
		return fmt.Sprintf("DependencyDecided: at shard %d a transaction that %v has read from has aborted", m.DependencyDecided.Shard, m.DependencyDecided.Attempt)
	case m.DependencyDecided != nil:
		return fmt.Sprintf("DependencyDecided: all that %v has read at shard %d is committed", m.DependencyDecided.Attempt, m.DependencyDecided.Shard)
	case m.QueryDecision != nil:
		return fmt.Sprintf("QueryDecision: outcome of %v?", m.QueryDecision.Attempt)
	case m.Decision != nil && m.Decision.Commit:
		return fmt.Sprintf("Decision: %v commits", m.Decision.Attempt)
	case m.Decision != nil:
		return fmt.Sprintf("Decision: %v aborts", m.Decision.Attempt)
	}
	return ""
}

// conditions formats how a Yes depends on the writers of the rows read.
func conditions(open, doomed bool) string {
	switch {
	case doomed:
		return ", but a transaction that it has read from has aborted"
	case open:
		return ", if the transactions that it has read from commit"
	}
	return ""
}

func (w messageFormatter) upkeep(m *txn.Message) string {
	switch {
	case m.Reserve != nil:
		return w.reserve(m.Reserve)
	case m.Publish != nil:
		return fmt.Sprintf("Publish: %v publishes its writes at shard %d", m.Publish.Txn, m.Publish.Shard)
	case m.Release != nil:
		return fmt.Sprintf("Release: shard %d may drop the locks of %v", m.Release.Shard, m.Release.Txn)
	case m.Wounded != nil:
		return fmt.Sprintf("Wounded: at shard %d %v lost its locks to %v, which is older", m.Wounded.Shard, m.Wounded.Txn, m.Wounded.By)
	case m.DeadlockProbe != nil && m.DeadlockProbe.Shard == 0:
		return fmt.Sprintf("DeadlockProbe: where does %v wait? (%d waits behind %v so far)", m.DeadlockProbe.Txn, len(m.DeadlockProbe.Path), m.DeadlockProbe.Start)
	case m.DeadlockProbe != nil:
		return fmt.Sprintf("DeadlockProbe: which transactions does %v wait for at shard %d?", m.DeadlockProbe.Txn, m.DeadlockProbe.Shard)
	case m.DeadlockConfirm != nil:
		return fmt.Sprintf("DeadlockConfirm: do these %[2]d transactions still wait at shard %[1]d?", m.DeadlockConfirm.Shard, len(m.DeadlockConfirm.Cycle))
	case m.TxnStatusQuery != nil && m.TxnStatusQuery.SentNanos != 0:
		return ""
	case m.TxnStatusQuery != nil:
		return fmt.Sprintf("TxnStatusQuery: is %v, which holds locks at shard %d, still active?", m.TxnStatusQuery.Txn, m.TxnStatusQuery.Shard)
	case m.TxnStatusReply != nil && m.TxnStatusReply.SentNanos != 0:
		return ""
	case m.TxnStatusReply != nil:
		return fmt.Sprintf("TxnStatusReply: %v is active: %v", m.TxnStatusReply.Txn, m.TxnStatusReply.Alive)
	case m.NotLeader != nil:
		return w.notLeader(m.NotLeader)
	case m.SnapFetch != nil:
		return fmt.Sprintf("SnapFetch: fetch more of the state of shard %d at entry %d", m.SnapFetch.Shard, m.SnapFetch.Index)
	case m.SnapChunk != nil:
		return fmt.Sprintf("SnapChunk: %d keys of the state of shard %d", len(m.SnapChunk.Keys), m.SnapChunk.Shard)
	}
	return w.other(m)
}

// other returns the kind of a message without a format of its own, its shard and its attempt.
func (w messageFormatter) other(m *txn.Message) string {
	k, v := look(m)
	if k == nil {
		return "an empty message"
	}
	text := k.name
	if s := v.FieldByName("Shard"); s.IsValid() {
		text += fmt.Sprintf(": shard %v", s.Interface())
	}
	if a, ok := attemptOf(m); ok {
		text += fmt.Sprintf(", %v", a)
	}
	return text
}

func (w messageFormatter) notLeader(n *txn.NotLeader) string {
	if n.Leader == 0 {
		return fmt.Sprintf("NotLeader: shard %d has no known leader (term %d)", n.Shard, n.Term)
	}
	return fmt.Sprintf("NotLeader: shard %d is led by %s, as far as known here (term %d)", n.Shard, w.node(n.Leader), n.Term)
}

func (w messageFormatter) raft(r *txn.Raft) string {
	m, err := raftgroup.RaftMessage(r)
	if err != nil {
		return fmt.Sprintf("an unreadable raft message of shard %d", r.Shard)
	}
	switch entries := m.GetEntries(); {
	case m.GetType() == raftpb.MsgApp && len(entries) > 0:
		first, last := entries[0].GetIndex(), entries[len(entries)-1].GetIndex()
		return fmt.Sprintf("Append to the log of shard %d: %s (term %d)", r.Shard, entryRange(first, last), m.GetTerm())
	case m.GetType() == raftpb.MsgAppResp && m.GetReject():
		return fmt.Sprintf("Appended nothing: the log of shard %d here does not match", r.Shard)
	case m.GetType() == raftpb.MsgAppResp && m.GetIndex() > 0:
		return fmt.Sprintf("Appended: the log of shard %d is on disk here up to entry %d", r.Shard, m.GetIndex())
	case m.GetType() == raftpb.MsgSnap:
		return fmt.Sprintf("Snapshot: the state of shard %d can be fetched", r.Shard)
	case m.GetType() == raftpb.MsgTimeoutNow:
		return fmt.Sprintf("TimeoutNow: lead shard %d from now on", r.Shard)
	}
	return ""
}

func entryRange(first, last uint64) string {
	if first == last {
		return fmt.Sprintf("entry %d", first)
	}
	return fmt.Sprintf("entries %d to %d", first, last)
}

func (w messageFormatter) access(a *txn.Access) string {
	if a.Batch != nil {
		return work(a)
	}
	var what []string
	for _, k := range a.Keys {
		what = append(what, w.show(k))
	}
	for _, s := range a.Scans {
		what = append(what, fmt.Sprintf("[%s, %s)", w.show(s.Span.Start), w.show(s.Span.End)))
	}
	text := fmt.Sprintf("Access: %v reads %s at shard %d", a.Txn, strings.Join(what, " "), a.Shard)
	switch a.Lock {
	case txn.LockShared:
		text += ", shared locks"
	case txn.LockExclusive:
		text += ", exclusive locks"
	}
	if a.Reserves {
		text += fmt.Sprintf(", and reserves it with priority %d", a.Age.Region)
	}
	if a.Nearest {
		text += ", any replica will do"
	}
	return text
}

func (w messageFormatter) reserve(r *txn.Reserve) string {
	var what []string
	for _, k := range r.Keys {
		what = append(what, w.show(k))
	}
	for _, s := range r.Spans {
		what = append(what, fmt.Sprintf("[%s, %s)", w.show(s.Start), w.show(s.End)))
	}
	return fmt.Sprintf("Reserve: %v has read %s at shard %d, and reserves it with priority %d", r.Txn, strings.Join(what, " "), r.Shard, r.Age.Region)
}

// work formats statements for a source.
func work(a *txn.Access) string {
	var what []string
	for _, s := range a.Batch.Statements {
		what = append(what, s.Text)
	}
	text := fmt.Sprintf("Access: %v has source %d do %s", a.Txn, a.Shard, strings.Join(what, "; "))
	if a.Batch.Step == 1 {
		text += fmt.Sprintf(", in a new branch %v", a.Batch.Attempt)
	}
	switch last := a.Batch.Last; {
	case last != nil && last.OnePhase:
		text += ", and commit it then"
	case last != nil:
		text += ", and prepare it then"
	}
	return text
}

// worked formats the results of statements.
func worked(r *txn.BatchResult) string {
	if r.Going {
		return "AccessReply: still running"
	}
	var what []string
	for _, x := range r.Results {
		if x.Affected > 0 {
			what = append(what, fmt.Sprintf("%d changed", x.Affected))
			continue
		}
		for _, row := range x.Rows {
			what = append(what, string(bytes.Join(row, []byte("="))))
		}
	}
	if r.Fault != nil {
		what = append(what, fmt.Sprintf("error %d", r.Fault.Code))
	}
	if len(what) == 0 {
		what = []string{"no rows"}
	}
	if r.Committed {
		what = append(what, "committed")
	}
	return "AccessReply: " + strings.Join(what, ", ")
}

func (w messageFormatter) accessReply(r *txn.AccessReply) string {
	if r.Refused == 0 && r.Batch != nil {
		return worked(r.Batch)
	}
	if r.Refused != 0 {
		return fmt.Sprintf("AccessReply: refused: %s", r.Reason)
	}
	var what []string
	for i, row := range r.Rows {
		text := w.row(row)
		if i < len(r.Leases) {
			text += fmt.Sprintf(" (lease %d to %d)", r.Leases[i].From, r.Leases[i].Until)
		}
		what = append(what, text)
	}
	for _, s := range r.Scans {
		for _, row := range s.Rows {
			what = append(what, w.row(row))
		}
	}
	if len(what) == 0 {
		what = []string{"no rows"}
	}
	text := "AccessReply: " + strings.Join(what, " ")
	if r.HasUndecidedWrite {
		text += " (a write on it is undecided)"
	}
	return text
}

func (w messageFormatter) row(r txn.Row) string {
	if r.Value == nil {
		return w.show(r.Key) + "=nothing"
	}
	return fmt.Sprintf("%s=%s by %v", w.show(r.Key), r.Value, r.Version)
}

func (w messageFormatter) prepare(p *txn.Prepare) string {
	text := fmt.Sprintf("Prepare %v at shard %d", p.Attempt, p.Shard)
	if p.Validate {
		text += ", after the others: are its reads still valid"
	}
	if p.OnePhase {
		text += ", its only participant: a Yes is the commit"
	}
	if len(p.Leases) > 0 {
		text += fmt.Sprintf(" at %d", p.At)
	}
	var parts []string
	if n := len(p.Reads); n > 0 && len(p.Leases) > 0 {
		parts = append(parts, fmt.Sprintf("the leases of %d rows read last until then", n))
	} else if n > 0 {
		parts = append(parts, fmt.Sprintf("%d rows read are unchanged", n))
	}
	if n := len(p.Spans); n > 0 {
		parts = append(parts, fmt.Sprintf("%d ranges read are unchanged", n))
	}
	if p.LockTerm != 0 {
		parts = append(parts, fmt.Sprintf("its locks of term %d are held", p.LockTerm))
	}
	if len(parts) > 0 {
		text += "; if " + strings.Join(parts, " and ")
	}
	if p.FixedSet != nil {
		return text + w.fixedSet(p)
	}
	return text + w.writes(p.Writes)
}

func (w messageFormatter) vote(v *txn.Vote) string {
	if !v.Yes {
		return fmt.Sprintf("Vote: shard %d votes No on %v: %s", v.Shard, v.Attempt, v.Reason)
	}
	if v.Open && v.Proposed == 0 { // of a source, which proposes nothing
		return fmt.Sprintf("Vote: shard %d votes Yes on %v, if its reads are still valid after all votes", v.Shard, v.Attempt)
	}
	text := fmt.Sprintf("Vote: shard %d votes Yes on %v", v.Shard, v.Attempt)
	if v.Open && len(v.AssumesAborted) > 0 {
		text += ", if these abort: " + names(v.AssumesAborted)
	} else {
		text += conditions(v.Open, v.Doomed)
	}
	if len(v.PriorityAborted) > 0 {
		text += "; priority-aborted for it there: " + names(v.PriorityAborted)
	}
	return text
}

// names lists attempts.
func names(list []txn.Attempt) string {
	var out []string
	for _, a := range list {
		out = append(out, a.String())
	}
	return strings.Join(out, " ")
}

func (w messageFormatter) decide(d *txn.Decide) string {
	what := "aborts"
	if d.Commit {
		what = "commits"
	}
	if d.Tentative {
		what += " once that is recorded"
	}
	return fmt.Sprintf("Decide: %v %s at shard %d", d.Attempt, what, d.Shard) + w.writes(d.Writes)
}

func (w messageFormatter) writes(all []txn.Write) (text string) {
	for _, x := range all {
		if x.Value == nil {
			text += fmt.Sprintf("; delete %s", w.show(x.Key))
		} else {
			text += fmt.Sprintf("; write %s=%s", w.show(x.Key), x.Value)
		}
	}
	return text
}

func (w messageFormatter) wall(nanos int64) string {
	if w.arrivalTime != nil {
		return w.arrivalTime(nanos)
	}
	return fmt.Sprint(nanos)
}

// fixedSet formats the reads and writes of a 2FI transaction at a shard.
func (w messageFormatter) fixedSet(p *txn.Prepare) (text string) {
	for _, k := range p.FixedSet.Reads {
		text += fmt.Sprintf("; read %s", w.show(k))
	}
	for _, x := range p.Writes {
		text += fmt.Sprintf("; will write %s", w.show(x.Key))
	}
	if p.FixedSet.ArrivalTime != 0 {
		text += fmt.Sprintf("; at %s, %s priority", w.wall(p.FixedSet.ArrivalTime), p.Age.Priority)
	}
	return text
}

func (w messageFormatter) served(m *txn.FixedSetReads) string {
	var rows []string
	for _, r := range m.Rows {
		rows = append(rows, w.row(r))
	}
	return fmt.Sprintf("FixedSetReads: for %v shard %d holds %s", m.Attempt, m.Shard, strings.Join(rows, " "))
}

func (w messageFormatter) forward(m *txn.Forward) string {
	var keys []string
	for _, r := range m.Rows {
		keys = append(keys, w.show(r.Key))
	}
	return fmt.Sprintf("Forward: %v waits at shard %d for %v, and reads %s", m.Reader, m.Shard, m.Attempt, strings.Join(keys, " "))
}

func (w messageFormatter) finding(f *txn.InquireReply) string {
	results := [...]string{"no record", "Yes, undecided", "No, permanently", "committed", "aborted"}
	return fmt.Sprintf("InquireReply: in the log of shard %d, %v: %s%s", f.Shard, f.Attempt, results[f.Result], conditions(f.Open, f.Doomed))
}

func (w messageFormatter) show(k txn.Key) string {
	if w.key != nil {
		return w.key(k)
	}
	return fmt.Sprintf("%q", string(k))
}
