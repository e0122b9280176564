package decide

import "isochron/txn"

// The writes of a declared attempt are not in its votes: leaders have voted before anybody knew
// them. So its coordinator has them logged in a shard while the votes are on their way, and the
// attempt commits when every leader has voted Yes and the log has the writes (Carousel, as Natto
// section 2.1 tells of it). The decision is not logged: who finishes the work of another reads
// the writes first, and then asks the participants' logs. If there are none it writes an abort
// in their place, and the coordinator can never log them.
//
// Invariant: before its writes are on their way into the log the coordinator may abort as it
// likes; afterwards only a participant's No, or what stands in their place, aborts.

// Supply gives a declared attempt what it writes, by shard, once.
func Supply(a *Attempt, data []txn.ShardWrites) {
	if a.record == nil || !a.record.holdsData || a.record.data != nil {
		panic("decide: writes were given to an attempt that awaits none: " + a.ID.String())
	}
	a.record.data = append([]txn.ShardWrites{}, data...) // never nil from now on
	a.record.logData(a)
}

// Supplied reports whether that was done.
func Supplied(a *Attempt) bool { return a.record != nil && a.record.data != nil }

// WritesAt is what a declared attempt writes at a shard, as far as that is known.
func WritesAt(a *Attempt, s txn.ShardID) []txn.Write {
	if a.record == nil {
		return nil
	}
	return a.record.writesAt(s)
}

// Withdraw aborts a declared attempt that was given no writes: its client wants no more of it, or
// a leader of its participants is lost. why may be nil.
func Withdraw(a *Attempt, reason *txn.Error) {
	if Supplied(a) || a.adopted() {
		panic("decide: an attempt is withdrawn that others may commit: " + a.ID.String())
	}
	if reason != nil {
		a.refused(reason)
	}
	a.tally.No()
}

// logData has the writes logged, if there are some that are neither there nor on their way.
func (r *record) logData(a *Attempt) {
	if r == nil || !r.holdsData || r.data == nil || r.writing || r.logged || a.adopted() || a.phase == deciding {
		return
	}
	r.writing, r.isCurrent = true, true
	a.decider.Env.LogData(a.ID, r.at, r.data)
}

// ruleData takes in what stands where the writes should.
func (r *record) ruleData(a *Attempt, says LogAnswer) {
	switch {
	case says.Known && says.Commit:
		r.writing, r.logged = false, true
		if a.adopted() {
			r.data = append([]txn.ShardWrites{}, says.Data...)
		}
		a.tally.DataLogged()
		if a.adopted() {
			a.votePath.inquire()
		}
	case says.Known, says.Finished && a.Leftover:
		r.writing = false
		a.refused(txn.ReasonEndedByOthers.Err())
		a.tally.No()
	case says.Finished:
		r.writing, a.done = false, true
	case a.adopted():
		a.resend() // the log is asked again
	default:
		r.writing = false // see Wake
	}
}

// ruleFirst has the log speak before the participants, of an attempt of another coordinator.
func (r *record) ruleFirst(a *Attempt) {
	if !r.holdsData {
		a.tally.No() // no votes are its decision
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

// writesAt is what the attempt writes at a shard.
func (r *record) writesAt(s txn.ShardID) []txn.Write {
	for _, d := range r.data {
		if d.Shard == s {
			return d.Writes
		}
	}
	return nil
}
