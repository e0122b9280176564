// Package archive takes a backup of a whole cluster while it works, and brings
// it back into another one.
//
// How it thinks. A backup is the cluster at one moment, which the leaders of all
// shards name together when it begins: everything acknowledged before is in it,
// and of each transaction all or nothing. It holds the rows of the catalogue,
// then the rows and index entries of each table as they lie in the store, page
// by page. A backup is one file of frames (format.go): a header, chunks with a
// checksum each, and a footer that counts them and hashes all, without which the
// file is no backup. A restore reads the whole file before it writes anything;
// then it marks the cluster, gives tables ids and places, writes rows, and last,
// in one transaction, writes the catalogue and takes the mark away. Until then
// SQL clients are refused. Every write can be done twice, so whoever was
// interrupted starts over.
//
// What the caller owes it. A Cluster to talk to, and a writer or reader that is
// a file. Nobody else uses the cluster that is restored into.
package archive
