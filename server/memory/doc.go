// Package memory divides a node's memory among its parts. It does not allocate or account; the parts count themselves.
//
// How it works. One setting bounds a node's memory: half of the machine's memory, or of its cgroup's limit, unless
// configured. One table (shares.go) gives each part its share, and every bound of a node's caches, pools, queues and
// budgets follows from it. Most parts use little when there is little to hold: a share is a maximum. Garbage is a part
// like others, and is collected so that it stays within its share (collect.go).
//
// Invariants: the shares sum to the setting; setting >= Least.
//
// What the caller owes it.
//
//  1. Divide once, at the start, and give each part its share.
//  2. Run Collect until the node ends.
//  3. Collect the parts' counts in a Held; Use combines them for people. Shares are values, safe to share.
package memory
