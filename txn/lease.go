package txn

// Lease is the range of commit timestamps for which a version of a row is the current one, in
// protocols with row leases: from the timestamp that wrote it up to one below which no other write
// will commit. It is logical and not bounded by a clock. It is valid in the term of the leader that
// granted it: a later leader does not have promises that were not logged.
type Lease struct {
	From  Timestamp `cbor:"1,keyasint,omitempty"`
	Until Timestamp `cbor:"2,keyasint,omitempty"`
	Term  uint64    `cbor:"3,keyasint,omitempty"`
}
