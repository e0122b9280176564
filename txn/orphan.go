package txn

// Orphan is an attempt that is undecided for too long at a participant: somebody must
// find out how it ended, or end it.
type Orphan struct {
	Attempt      Attempt
	Txn          ID
	Participants []ShardID
	RecordShard  ShardID // as in its Prepare
	FixedSet     bool    // what stands at RecordShard is what it writes, and its votes decide
	// Leftover: its participant asks for itself alone, and what it has of an attempt that
	// ended everywhere long ago came too late: it is rolled back.
	Leftover bool
}
