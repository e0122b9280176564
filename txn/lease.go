package txn

// Lease says for which commit timestamps a version of a row is the one to be read, where rows have
// leases: from the one that wrote it up to one below which nothing else will. It is logical, no
// clock ends it. It is good in the term of the leader that gave it, for a later one has lost what
// was promised and not logged.
type Lease struct {
	From  Timestamp `cbor:"1,keyasint,omitempty"`
	Until Timestamp `cbor:"2,keyasint,omitempty"`
	Term  uint64    `cbor:"3,keyasint,omitempty"`
}
