package decide

import "isochron/txn"

// The writes of a 2FI attempt are not in its votes: leaders vote before the writes are known. So
// its coordinator logs them in a shard while the votes are in flight, and the attempt commits when
// every leader has voted Yes and the log has the writes (Carousel, as described in Natto section
// 2.1). The decision is not logged: recovery reads the writes first, and then asks the
// participants' logs. If there are none it writes an abort in their place, and the coordinator can
// never log them.
//
// Invariant: before its writes are sent to the log the coordinator may abort freely; afterwards
// only a participant's No, or an abort in their place, aborts.

// Supply gives a 2FI attempt its writes, by shard, once.
func Supply(a *Attempt, data []txn.ShardWrites) {
	if a.record == nil || !a.record.holdsData || a.record.data != nil {
		panic("decide: writes were given to an attempt that awaits none: " + a.ID.String())
	}
	a.record.data = append([]txn.ShardWrites{}, data...) // never nil from now on
	a.record.logData(a)
}

// Supplied reports whether Supply was called.
func Supplied(a *Attempt) bool { return a.record != nil && a.record.data != nil }

// WritesAt returns the writes of a 2FI attempt at a shard, as far as they are known.
func WritesAt(a *Attempt, s txn.ShardID) []txn.Write {
	if a.record == nil {
		return nil
	}
	return a.record.writesAt(s)
}

// Withdraw aborts a 2FI attempt that has no writes yet: its client gave up, or a participant's
// leader is lost. reason may be nil.
func Withdraw(a *Attempt, reason *txn.Error) {
	if Supplied(a) || a.adopted() {
		panic("decide: an attempt is withdrawn that others may commit: " + a.ID.String())
	}
	if reason != nil {
		a.refused(reason)
	}
	a.tally.No()
}

// logData logs the writes, if they are known and neither logged nor on their way.
func (r *record) logData(a *Attempt) {
	if r == nil || !r.holdsData || r.data == nil || r.writing || r.logged || a.adopted() || a.phase == deciding {
		return
	}
	r.writing, r.isCurrent = true, true
	a.decider.Env.LogData(a.ID, r.at, r.data)
}

// ruleData handles the log's reply about the writes.
func (r *record) ruleData(a *Attempt, reply LogAnswer) {
	switch {
	case reply.Known && reply.Commit:
		r.writing, r.logged = false, true
		if a.adopted() {
			r.data = append([]txn.ShardWrites{}, reply.Data...)
		}
		a.tally.DataLogged()
		if a.adopted() {
			a.votePath.inquire()
		}
	case reply.Known, reply.Finished && a.Leftover:
		r.writing = false
		a.refused(txn.ReasonEndedByOthers.Err())
		a.tally.No()
	case reply.Finished:
		r.writing, a.done = false, true
	case a.adopted():
		a.resend() // the log is asked again
	default:
		r.writing = false // see Wake
	}
}

// ruleFirst makes the log answer before the participants, for an attempt of another coordinator.
func (r *record) ruleFirst(a *Attempt) {
	if !r.holdsData {
		a.tally.No() // its decision does not follow from votes
		a.propose()
		return
	}
	if a.decider.Params.InjectedBugs.ForgetData {
		a.tally.DataLogged()
		a.votePath.inquire()
		return
	}
	r.writing = true
	a.write()
}

// awaited reports whether nothing else is to be done before the log has answered.
func (r *record) awaited(a *Attempt) bool {
	return r != nil && r.writing && (!r.holdsData || a.adopted())
}

// writesAt returns the writes of the attempt at a shard.
func (r *record) writesAt(s txn.ShardID) []txn.Write {
	for _, d := range r.data {
		if d.Shard == s {
			return d.Writes
		}
	}
	return nil
}
