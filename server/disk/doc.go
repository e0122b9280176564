// Package disk writes files and directories atomically: after a power cut each write is complete or has no effect.
// Files are read through the operating system.
//
// How it works. Content is durable when its file was synced, a name when its directory was:
//
//	WriteFile:  write a temporary name in dir, sync it, rename to dir/name, sync dir
//	MkdirAll:   create the missing parents, sync every directory with a new name, from the bottom to the top
//
// A Disk is the storage library's file system with a few added operations. All of a node's writes go through one, so
// that a test can use a disk that loses unsynced data (package disktest).
//
// Invariants: a path has its old content or its new one, never a mixture; an error leaves at most a file whose name
// begins with Unfinished.
//
// What the caller owes it.
//
//  1. One writer at a time for each path.
//  2. After WriteNew, call SyncDir before relying on the file's name.
package disk
