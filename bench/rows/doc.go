// Command rows measures rows of the protocol table beside each other: each row on
// each load, or, with --collapse, on a few loads with more and more connections.
//
// How it works. A cell is a protocol on a load with so many connections, run once in each round; in
// a round the protocols take turns at each site, and the next round begins with another protocol,
// so that a machine that slows down favours none. A site is where a load runs: one node, or regions
// with delays between them. The data of its loads is loaded once, without delays, and copied for
// each protocol, with the protocol's name put into the copy: the disk of a quiet cluster is the
// same under all protocols. A copy that does not start is loaded again. Galera, if requested, is
// one more system, in network namespaces with the same delays.
//
// sysbench measures through measured.lua, so that its figures are those of isochron workload:
// without the warm-up, the throughput of the time alone, a transaction's latency from its first try
// on, and collapses are reported too. Every cell is a line of JSON in --resume's file immediately,
// and cells in it are not run again.
//
// What its caller owes it: a machine with nothing else to do, or figures that mean
// nothing; root, for Galera alone.
package main
