// Command hostile measures the damage that malicious clients do to a node with little memory.
//
// How it works. It starts one node, or three of which the first is attacked, limited to 2 GB of
// memory by a cgroup if it runs as root, else by GOMEMLIMIT while it watches the resident set; the
// report names the mechanism. Ordinary clients read, update and run small transactions: first alone
// for --minutes, then as long beside attackers. Attackers with and without privileges run the
// statements of statements.go and disconnect if a statement takes too long; others connect and
// never log in. It prints whether the node survived, which ordinary statements failed, their
// latencies in both parts, and the largest resident set. Exit code 1: the node violated a
// requirement.
//
// With --connects N it makes N connections without a login and compares the node's memory before
// and after; with --sockets N it opens N idle connections and measures the time of a login.
//
// What its caller owes it: free ports, and memory for the node and the attackers. Ctrl-C ends the
// processes and removes their files, unless a requirement was violated.
package main
