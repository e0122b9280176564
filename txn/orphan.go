package txn

// Orphan is an attempt that has been undecided for too long at a participant: a node must
// find out its outcome or settle it.
type Orphan struct {
	Attempt      Attempt
	Txn          ID
	Participants []ShardID
	RecordShard  ShardID // as in its Prepare
	FixedSet     bool    // RecordShard holds its writes, and its votes decide
	// Leftover: the participant asks only for itself. The attempt ended everywhere long ago, and
	// the state it has here arrived too late: it is rolled back.
	Leftover bool
}
