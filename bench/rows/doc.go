// Command rows measures rows of the protocol table beside each other: each row on
// each load, or, with --collapse, on a few loads with more and more connections.
//
// How it thinks. A cell is a row on a load with so many connections, run once in
// each round; in a round the rows take turns at each site, and the next round begins
// with another row, so that a machine that grows slower favours none. A site is where
// a load runs: one node, or regions with delays between them. What its loads need is
// loaded once, without delays, and copied for each row, with the row's name put into the
// copy: what is on disk when a cluster has come to rest is the same under all rows. A
// copy that does not start is loaded anew. Galera, if
// asked for, is one more row, in network namespaces with the same delays.
//
// sysbench measures through measured.lua, so that its figures are those of isochron
// workload: without the warm-up, the throughput of the time alone, a transaction's
// latency from its first try on, and what has collapsed is told too. Every cell is a line of JSON in --resume's file at
// once, and what is there is not run again.
//
// What its caller owes it: a machine with nothing else to do, or figures that mean
// nothing; root, for Galera alone.
package main
