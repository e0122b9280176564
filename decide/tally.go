package decide

import (
	"slices"

	"isochron/coverage"
	"isochron/txn"
)

// Verdict is what a tally forces.
type Verdict uint8

// The verdicts.
const (
	Open Verdict = iota
	Commit
	Abort
)

func (v Verdict) String() string { return [...]string{"open", "commit", "abort"}[v] }

// Tally counts one attempt's votes.
//
// Invariant: once a verdict is not Open it never changes.
type Tally struct {
	Participants []txn.ShardID
	parts        []participantTally // of Participants, in their order
	verdict      Verdict
	at           txn.Timestamp
	// logs: the votes force what is proposed alone, and the verdict is what a log says.
	logs       bool
	proposal   Verdict
	proposedAt txn.Timestamp
	// awaitsData: no votes commit it before the log has what it writes.
	awaitsData bool
	// anyTerm counts acknowledgements whatever they acknowledge: a planted bug.
	anyTerm bool
	// Planted bugs too: see txn.Bugs.
	smallFastPath, ignoreNo bool
	refusalsAgreed          bool // what is refused takes what is agreed to (Params.AbortsLikeCommits)
	halfAcks                bool
	commitBeside            bool
	priorityAborted         []txn.Attempt    // that have aborted for its sake
	rules                   *coverage.Counts // nil: nothing is counted
}

// participantTally is what is known of one participant. Three things make its Yes
// count: that the leader gave it, that a majority has it, and that the writers
// of what it read are committed.
type participantTally struct {
	yes, logged, resolved bool
	proposed              txn.Timestamp
	term, index           uint64 // of the entry that replicas acknowledge
	replicas              []txn.NodeID
	replicaVotes          replicaVotes  // where every replica validates
	assumesAborted        []txn.Attempt // on whose abort its Yes rests
}

func (p *participantTally) counts() bool { return p.yes && p.logged && p.resolved }

// NewTally opens a tally; nobody changes the participants.
func NewTally(participants []txn.ShardID) *Tally {
	return &Tally{Participants: participants, parts: make([]participantTally, len(participants))}
}

// InjectBug plants bugs, for tests of the tests.
func (t *Tally) InjectBug(b txn.InjectedBugs) *Tally {
	t.anyTerm, t.smallFastPath, t.ignoreNo, t.halfAcks = b.CountOldAcks, b.SmallFastPath, b.IgnoreAbort, b.HalfAcks
	t.commitBeside = b.CommitDespiteAssumptions
	return t
}

// Count has the tally count where its rules bite.
func (t *Tally) Count(c *coverage.Counts) *Tally {
	t.rules = c
	return t
}

func (t *Tally) part(s txn.ShardID) *participantTally {
	if i := slices.Index(t.Participants, s); i >= 0 {
		return &t.parts[i]
	}
	return nil
}

// Yes counts a Yes that a majority has logged, with its proposed timestamp;
// open: writers of what it has read are undecided.
func (t *Tally) Yes(s txn.ShardID, proposed txn.Timestamp, open bool) {
	t.Voted(s, proposed)
	t.Logged(s)
	if !open {
		t.DependencyDecided(s)
	}
}

// Voted notes a Yes of a leader, on whose log nothing is known.
func (t *Tally) Voted(s txn.ShardID, proposed txn.Timestamp) {
	if p := t.part(s); p != nil && !p.yes {
		p.yes, p.proposed = true, proposed
		t.judge()
	}
}

// Logged notes that a majority has the participant's Yes.
func (t *Tally) Logged(s txn.ShardID) {
	if p := t.part(s); p != nil {
		p.logged = true
		t.judge()
	}
}

// DependencyDecided notes that the writers of what was read at the participant are
// committed, or that there were none.
func (t *Tally) DependencyDecided(s txn.ShardID) {
	if p := t.part(s); p != nil {
		p.resolved = true
		t.judge()
	}
}

// Acknowledged takes in all that an acknowledgement says: that the leader has voted Yes, which
// of its replicas has that on its disk, and whether the writers of what it has read are committed.
func (t *Tally) Acknowledged(m *txn.Ack) {
	t.Voted(m.Shard, m.Proposed)
	if !m.Open {
		t.DependencyDecided(m.Shard)
	}
	t.Ack(m)
}

// Ack counts a replica that has the participant's Yes on its disk. Only
// replicas that acknowledge one entry, of one term, while that was their own
// durable term, make the majority of which raft would say the same: nobody who
// lacks the entry can be elected any more.
func (t *Tally) Ack(m *txn.Ack) {
	p := t.part(m.Shard)
	if p == nil || m.Replica == 0 {
		return
	}
	if m.Term < p.term && !t.anyTerm {
		return
	}
	if (m.Term > p.term || m.Index != p.index) && !t.anyTerm {
		p.replicas = p.replicas[:0]
	}
	p.term, p.index = m.Term, m.Index
	if !slices.Contains(p.replicas, m.Replica) {
		p.replicas = append(p.replicas, m.Replica)
	}
	if majority(m.Voters, p.replicas) && (t.halfAcks || len(m.Outgoing) == 0 || majority(m.Outgoing, p.replicas)) {
		t.Logged(m.Shard)
	} else if t.rules.On() && majority(m.Voters, p.replicas) {
		t.rules.Hit(coverage.JointAcks)
	}
}

func majority(voters, have []txn.NodeID) bool {
	n := 0
	for _, v := range voters {
		if slices.Contains(have, v) {
			n++
		}
	}
	return n > len(voters)/2
}

// LogsDecision has the tally leave the verdict to the log of decisions (Ruled).
func (t *Tally) LogsDecision() *Tally {
	t.logs = true
	return t
}

// AwaitsData has no votes commit the attempt before DataLogged.
func (t *Tally) AwaitsData() { t.awaitsData = true }

// DataLogged notes that the log has what the attempt writes.
func (t *Tally) DataLogged() {
	t.awaitsData = false
	t.judge()
}

// Proposal is what the votes force so far, where a log has the last word; at is the
// commit timestamp.
func (t *Tally) Proposal() (v Verdict, at txn.Timestamp) { return t.proposal, t.proposedAt }

// Ruled takes over what the log of decisions says, whatever was voted.
func (t *Tally) Ruled(commit bool, at txn.Timestamp) { t.Learned(commit, at) }

// No counts a No that can never become a Yes.
func (t *Tally) No() { t.force(Abort, 0) }

// force ends the attempt as the votes have it, or proposes that.
func (t *Tally) force(v Verdict, at txn.Timestamp) {
	switch {
	case t.verdict != Open:
	case !t.logs:
		t.verdict, t.at = v, at
	case t.proposal == Open:
		t.rules.HitIf(v == Commit, coverage.LoggedFirst)
		t.proposal, t.proposedAt = v, at
	}
}

// judge commits when every participant counts.
func (t *Tally) judge() {
	if t.verdict != Open {
		return
	}
	for i := range t.parts {
		if !t.parts[i].counts() {
			return
		}
	}
	if t.awaitsData {
		t.rules.Hit(coverage.DataFirst)
		return
	}
	if t.rules.On() {
		t.countTimestamps()
	}
	t.force(Commit, t.Proposed())
}

// countTimestamps counts a commit whose participants have proposed different timestamps.
func (t *Tally) countTimestamps() {
	at := t.Proposed()
	less := func(p participantTally) bool { return p.proposed < at }
	t.rules.HitIf(slices.ContainsFunc(t.parts, less), coverage.LargestArrivalTime)
}

// anyYes reports whether some participant has voted Yes, and awaits whether one has of which a
// majority has the Yes, and writers of what it has read are undecided.
func (t *Tally) anyYes() bool {
	return slices.ContainsFunc(t.parts, func(p participantTally) bool { return p.yes })
}

func (t *Tally) awaits(s txn.ShardID) bool {
	p := t.part(s)
	return p != nil && p.yes && p.logged && !p.resolved
}

// Unanimous reports whether every leader has voted Yes: whatever is still
// missing, the serial order is fixed (D2PC section 4.2).
func (t *Tally) Unanimous() bool {
	if t.verdict == Abort {
		return false
	}
	for i := range t.parts {
		if !t.parts[i].yes {
			return false
		}
	}
	return true
}

// Proposed is the largest timestamp proposed so far: the commit's, once the
// tally is unanimous.
func (t *Tally) Proposed() (at txn.Timestamp) {
	for i := range t.parts {
		at = max(at, t.parts[i].proposed)
	}
	return at
}

// Learned takes over a decision that a participant has logged.
func (t *Tally) Learned(commit bool, at txn.Timestamp) {
	want := Abort
	if commit {
		want = Commit
	}
	if t.verdict != Open && t.verdict != want {
		panic("decide: a logged decision contradicts the votes: " + t.verdict.String() + " against " + want.String())
	}
	t.verdict, t.at = want, at
}

// Verdict is what the votes force so far; at is the commit timestamp.
func (t *Tally) Verdict() (v Verdict, at txn.Timestamp) { return t.verdict, t.at }

// Missing lists the participants whose Yes does not count yet.
func (t *Tally) Missing() []txn.ShardID {
	var out []txn.ShardID
	for i, s := range t.Participants {
		if !t.parts[i].counts() {
			out = append(out, s)
		}
	}
	return out
}
