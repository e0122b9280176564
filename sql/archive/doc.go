// Package archive backs up a whole cluster under load, and restores the backup into another cluster. It is not a copy
// of a node's files.
//
// How it works. A backup is the cluster at one read timestamp, which the leaders of all shards agree on when it begins:
// it has everything acknowledged before, and each transaction completely or not at all. It contains the catalogue's rows,
// then each table's rows and index entries as stored, page by page. A backup is one file of frames (format.go):
//
//	header | chunk, checksum | ... | footer: number of chunks, hash of all
//
// A file without a footer is no backup. A restore reads the whole file before it writes anything:
//
//	check --> mark the cluster --> ids and places --> rows --> catalogue and removal of the mark (one transaction)
//
// SQL clients are refused while the mark exists. Every write can be repeated, so an interrupted restore starts over.
//
// Invariants: the catalogue is written only after all rows; the mark exists from the first write to that transaction.
//
// What the caller owes it.
//
//  1. Implement Cluster, and pass a writer or reader of the backup file.
//  2. Do not use the cluster otherwise during a restore.
package archive
