// Package storetest holds every store.Engine to one behaviour.
//
// How it works. An engine is compared, step by step, with a plain sorted map that is obviously
// right. The comparison covers the properties that the core relies on and no more: atomic batches
// applied in order, iterators and snapshots that do not see later batches, bounds, both directions,
// empty values.
//
// What the caller owes it. An open function that returns an empty engine each
// time; what the engine needs closed is closed with t.Cleanup.
package storetest
