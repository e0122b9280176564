// Package marks records how far a store's files were synced, to distinguish damage to synced data from the torn end that
// a crash leaves. It does not repair anything.
//
// How it works. The storage library takes the first unreadable record of a log or a manifest for the end of the file. So
// a file beside them (SYNCED) has, for each log and manifest, the number of synced bytes and their checksum. FS is the
// library's file system: it counts the written bytes and writes a new mark after each sync, before the sync returns.
// Open compares the files with the mark: a missing, shorter or different file is damaged.
//
// A mark is written at each sync of a file, and is itself synced once a second and before a file is created or removed.
// So after the end of the process it is exact; after a power cut it may be a second old, and then requires less than
// was synced, never more. It has three slots: the last one synced, one that may be being synced, and one for the next
// mark.
//
// Invariants.
//
//   - For each marked file: bytes in the mark on disk <= synced bytes of the file.
//   - slot written next != slot on disk, and != slot being synced.
//
// What the caller owes it.
//
//  1. Lock the directory before Open, and change it through FS only.
//  2. Call Opened after the store was opened, Flushed after it was closed, then Close.
//  3. A program of a version without marks may run in between: its files have higher numbers than the mark, which is
//     then ignored.
package marks
