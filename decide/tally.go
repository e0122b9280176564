package decide

import (
	"slices"

	"isochron/coverage"
	"isochron/txn"
)

// Verdict is the outcome that a tally forces.
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
// Invariant: a verdict other than Open never changes.
type Tally struct {
	Participants []txn.ShardID
	parts        []participantTally // of Participants, in their order
	verdict      Verdict
	at           txn.Timestamp
	// logs: the votes force only a proposal, and the log decides.
	logs       bool
	proposal   Verdict
	proposedAt txn.Timestamp
	// awaitsData: votes do not commit it before the log has its writes.
	awaitsData bool
	// anyTerm counts acknowledgements of any entry: an injected bug.
	anyTerm bool
	// Injected bugs too: see txn.InjectedBugs.
	smallFastPath, ignoreNo bool
	refusalsAgreed          bool // a refusal takes the same path as an agreement (Params.AbortsLikeCommits)
	halfAcks                bool
	commitOfAssumed         bool
	priorityAborted         []txn.Attempt    // attempts that were priority-aborted for it
	rules                   *coverage.Counts // nil: nothing is counted
}

// participantTally is the state of one participant. Its Yes counts when the leader has given it
// (yes), a majority has it (logged), and the writers of the rows it read are committed (resolved).
type participantTally struct {
	yes, logged, resolved bool
	proposed              txn.Timestamp
	term, index           uint64 // of the entry that replicas acknowledge
	replicas              []txn.NodeID
	replicaVotes          replicaVotes  // where every replica validates
	assumesAborted        []txn.Attempt // attempts whose abort its Yes assumes
}

func (p *participantTally) counts() bool { return p.yes && p.logged && p.resolved }

// NewTally opens a tally; the participants must not change.
func NewTally(participants []txn.ShardID) *Tally {
	return &Tally{Participants: participants, parts: make([]participantTally, len(participants))}
}

// InjectBug injects bugs, for tests of the tests.
func (t *Tally) InjectBug(b txn.InjectedBugs) *Tally {
	t.anyTerm, t.smallFastPath, t.ignoreNo, t.halfAcks = b.CountOldAcks, b.SmallFastPath, b.IgnoreAbort, b.HalfAcks
	t.commitOfAssumed = b.CommitDespiteAssumptions
	return t
}

// Count makes the tally count hits of its rules.
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

// Yes counts a Yes that a majority has logged, with its proposed timestamp; open: writers of rows
// it has read are undecided.
func (t *Tally) Yes(s txn.ShardID, proposed txn.Timestamp, open bool) {
	t.Voted(s, proposed)
	t.Logged(s)
	if !open {
		t.DependencyDecided(s)
	}
}

// Voted counts a leader's Yes, which may not be logged.
func (t *Tally) Voted(s txn.ShardID, proposed txn.Timestamp) {
	if p := t.part(s); p != nil && !p.yes {
		p.yes, p.proposed = true, proposed
		t.judge()
	}
}

// Logged records that a majority has the participant's Yes.
func (t *Tally) Logged(s txn.ShardID) {
	if p := t.part(s); p != nil {
		p.logged = true
		t.judge()
	}
}

// DependencyDecided records that the writers of the rows read at the participant are committed, or
// that there were none.
func (t *Tally) DependencyDecided(s txn.ShardID) {
	if p := t.part(s); p != nil {
		p.resolved = true
		t.judge()
	}
}

// Acknowledged counts an acknowledgement: the leader has voted Yes, one of its replicas has that
// durably, and the writers of the rows it has read may be committed.
func (t *Tally) Acknowledged(m *txn.Ack) {
	t.Voted(m.Shard, m.Proposed)
	if !m.Open {
		t.DependencyDecided(m.Shard)
	}
	t.Ack(m)
}

// Ack counts a replica with the participant's durable Yes. Only replicas that acknowledge one entry
// of one term, while that was their own durable term, form a majority as raft does: no replica
// without the entry can be elected any more.
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

// LogsDecision leaves the verdict to the log of decisions (Ruled).
func (t *Tally) LogsDecision() *Tally {
	t.logs = true
	return t
}

// AwaitsData prevents a commit by votes before DataLogged.
func (t *Tally) AwaitsData() { t.awaitsData = true }

// DataLogged records that the log has the attempt's writes.
func (t *Tally) DataLogged() {
	t.awaitsData = false
	t.judge()
}

// Proposal is the outcome that the votes force so far, where a log decides; at is the commit
// timestamp.
func (t *Tally) Proposal() (v Verdict, at txn.Timestamp) { return t.proposal, t.proposedAt }

// Ruled applies the outcome in the log of decisions, whatever the votes.
func (t *Tally) Ruled(commit bool, at txn.Timestamp) { t.Learned(commit, at) }

// No counts a No that can never become a Yes.
func (t *Tally) No() { t.force(Abort, 0) }

// force sets the outcome of the votes, or proposes it.
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
	t.rules.HitIf(slices.ContainsFunc(t.parts, less), coverage.LargestTimestamp)
}

// anyYes reports whether some participant has voted Yes; awaits whether a participant's Yes is
// logged, and depends on undecided writers.
func (t *Tally) anyYes() bool {
	return slices.ContainsFunc(t.parts, func(p participantTally) bool { return p.yes })
}

func (t *Tally) awaits(s txn.ShardID) bool {
	p := t.part(s)
	return p != nil && p.yes && p.logged && !p.resolved
}

// Unanimous reports whether every leader has voted Yes: whatever is still missing, the serial order
// is fixed (D2PC section 4.2).
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

// Learned applies a decision that a participant has logged.
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

// Verdict returns the outcome that the votes force so far; at is the commit timestamp.
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
