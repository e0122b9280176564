package txn

// Orphan is an attempt that is undecided for too long at a participant: somebody must
// find out how it ended, or end it.
type Orphan struct {
	Attempt      Attempt
	Txn          ID
	Participants []ShardID
	DecidedAt    ShardID // as in its Prepare
}
