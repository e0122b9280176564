// Package disktest has a disk that loses unsynced data when its power is cut. It is for tests only.
//
// How it works. A Disk is a real directory, so that reading it needs nothing special, and a record of every change
// since the last sync of its file or directory (inode.go). Syncs do not reach the machine: they move changes from the
// lost part to the kept part.
//
//	change --> recorded --Sync--> kept
//	              |
//	             Off: writers and syncs block; Rebuild creates the directory found at the next start
//
// Off stops the disk, directly or at a chosen change (Watch). Rebuild creates the directory a machine would find, any
// number of times: without unsynced changes, with a first part of them whose last write is torn, or with any of them
// (image.go). Release unblocks the waiting callers, on files that are not read again, so that the programs on the disk
// can be closed.
//
// It is stricter than most file systems: the name of a new file is lost unless its directory was synced, even if the
// file was; a rename within one directory is kept or lost as a whole. A disk can lie (Lie): each lie is a mistake a
// server could make, seen from below.
//
// Invariant: the kept state of an inode changes only by a sync.
//
// What the caller owes it.
//
//  1. All changes under its directory go through it.
//  2. Release after Off, before the programs on it are closed.
package disktest
