package node

import "isochron/txn"

// A node's bounds and its observer are defined in txn, for use by the
// parts of a node too.
type (
	Params       = txn.Params
	InjectedBugs = txn.InjectedBugs
	Observer     = txn.Observer
)
