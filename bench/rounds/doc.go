// Command rounds counts the rounds that statements cost over several regions, beside what EXPLAIN says of them.
//
// How it works. It starts a node of each build in each region of a map, with a hundredth of its delays: a round is counted, not waited for. One
// client in the first region then runs joins over tables that lie in all regions, and the transactions of TPC-C and SmallBank.
// After each statement it reads the node's counter of rounds, and asks EXPLAIN for the rounds of the same statement.
//
// What its caller owes it: nothing else may use the nodes. Ctrl-C ends it and leaves nothing.
package main
