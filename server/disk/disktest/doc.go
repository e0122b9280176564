// Package disktest has a disk that loses, when the power is cut, what was not synced.
//
// How it thinks. A Disk is a real directory, so that whoever reads it needs nothing
// special, and beside it a record of every change since the last sync of its file or
// directory (inode.go). Syncs never reach the machine: they move changes from what would
// be lost to what is kept. Off stops the disk dead, by hand or at a chosen change (Watch):
// from then on whoever writes or syncs waits. Then Rebuild makes the directory that a
// machine would find, as often as one likes from the same moment: with nothing of what was
// not synced, with a first part of it whose last write is torn, or with any of it
// (image.go). Release lets those who wait go on, on files that nobody will read, so that
// what ran on the disk can be closed.
//
// It is stricter than most file systems: the name of a new file is lost even if the file
// was synced, unless its directory was; a rename within one directory is kept or lost as
// a whole.
//
// A disk can lie (Lie): each lie is a mistake that a server could make, seen from below.
//
// What the caller owes it. All changes under its directory go through it.
package disktest
