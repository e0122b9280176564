// Package txn is the vocabulary of a transaction: its names, its messages, the
// events of its life, and the small interface through which clients see it.
//
// How it thinks. Everything that crosses a boundary between two parts of
// Isochron is a plain value defined here, so that the parts need not know each
// other: a workload or a SQL session knows DB and Txn (session.go); a
// coordinator and a shard know Message (message.go) and nothing of each
// other's insides; both know the identities in id.go. A Message travels only
// through the codec in codec.go, whose form is CBOR with numbered fields, so
// that a field can be added without breaking an older reader.
//
// What the caller owes it. Values handed over in a message are not changed
// afterwards by anyone. Timestamps come from a Clock of the node that makes
// them. An error that reaches a client is an *Error, whose Kind says what the
// client may conclude; KindUnknown is never turned into anything else.
package txn
