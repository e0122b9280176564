package txn

// Class is what a protocol's choices may depend on: what its gateway, or one of its
// participants, knows of a transaction when it asks. What is not known is zero.
type Class struct {
	Participants int  // how many shards it votes at
	Try          int  // how often it was tried before
	ReadOnly     bool // it said that it writes nothing
	Hot          bool // it has written a hot row at the participant that asks
}
