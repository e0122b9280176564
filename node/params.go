package node

import "isochron/txn"

// The bounds of a node, and what watches it, are defined in txn, where the
// parts of a node find them too.
type (
	Params       = txn.Params
	InjectedBugs = txn.InjectedBugs
	Observer     = txn.Observer
)
