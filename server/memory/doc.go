// Package memory divides the memory of a node among its parts.
//
// How it thinks. One setting says what a node may take of the machine; it is half of
// the machine's memory, or of the memory of the node's group of processes, if nobody
// says anything. One table (shares.go) gives each part its share of it, and every
// bound of a cache, a pool, a queue or a budget that a node has follows from there.
// Most parts hold little while there is little to hold: the shares are what they may
// come to. Garbage is a part like others, and collected so that it stays in its share.
//
// What the caller owes it. It divides once, at the start, and hands each part its
// share. What the parts hold is counted by themselves: Use gathers it for people.
package memory
