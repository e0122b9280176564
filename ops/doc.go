// Package ops exports a node's metrics, health and profiles for its operators. It does not store or evaluate them.
//
// How it works. A Metrics has its own registry. Frequent events are counted as they happen, by atomic adds (Metrics is an
// observer of the node and of its SQL server); present values are queried from the node at each scrape (status.go).
// Labels are shards, peers and fixed words. The cluster bounds their number, and they never contain a key, a text or a
// user's name.
//
// The listener serves plain HTTP without authentication. So it exports only metrics, and listens on the loopback unless
// configured otherwise. Profiles, which can contain data, are served on the loopback only.
//
// Invariant: a metric's old name, for one release, has the value of the new one (renamed.go).
//
// What the caller owes it.
//
//  1. Create the Metrics before the node, one for each node.
//  2. Attach the node to it.
//  3. Close the Listener before the node.
package ops
