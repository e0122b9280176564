// Package disk puts files and directories on a disk so that a power cut leaves them
// whole, or as if they had never been.
//
// How it thinks. What is written is on the disk when it was synced, and a name is when
// its directory was. So a file is written under another name, synced, renamed, and its
// directory synced (WriteFile); a directory is made with every parent that it lacks, and
// what got a name by it is synced, from the bottom to the top (MkdirAll). A Disk is the
// storage library's file system and the little that it lacks; everything that a node
// keeps goes through one, so that a test can put another in its place which loses what
// was not synced (package disktest).
//
// What the caller owes it. One writer at a time for each name. What an error leaves
// behind is at most a file whose name begins with Unfinished.
package disk
