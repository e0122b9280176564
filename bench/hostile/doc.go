// Command hostile shows what clients that mean harm can do to a node with little memory.
//
// How it thinks. It starts one node, or three of which the first is attacked, in a group of processes
// that may have 2 GB (cgroup of version 1 or 2, as root; else GOMEMLIMIT, and the resident set is
// watched; the report says which). For --minutes ordinary clients read, update and do small
// transactions alone, then for as long again beside attackers, with and without grants, who run every
// statement of statements.go at once and hang up when they have waited enough, and beside some who
// connect and never log in. It prints whether the node lived, what ordinary statements failed, their
// latencies in both parts, and the largest resident set. Exit 1 is a broken promise.
//
// With --connects N it connects so often without a login, and sets what the node holds then beside
// what it held before; with --sockets N it opens so many idle connections and measures how long a
// login takes.
//
// What its caller owes it: free ports, and memory for the node and the attackers. Ctrl-C ends the
// processes and leaves nothing, unless a promise was broken by then.
package main
