// Package ops is what a node shows to those who run it: figures, health, profiles.
//
// How it thinks. A Metrics has a registry of its own. What happens often is
// counted as it happens, by atomic adds (Metrics is handed to the node and to
// its SQL server as an observer); what stands still is asked of the node when
// somebody scrapes (status.go). Labels are shards, peers and fixed words:
// their number is bounded by the cluster, and no key, text or name of a user is
// ever among them.
//
// The listener speaks plain HTTP and asks nobody who he is, so it gives away
// nothing but figures, and it listens on the loopback unless the configuration
// says otherwise. Profiles, which can hold data, are for the loopback alone.
//
// What the caller owes it. Make the Metrics before the node, Attach the node to
// it, and Close the listener before the node. One node for each Metrics.
package ops
