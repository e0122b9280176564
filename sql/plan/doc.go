// Package plan has the simplest change, an update of one row by its primary key, which is read, changed and committed in one
// request to the gateway.
//
// How it works. DirectOf recognises such an update among bound changes: its WHERE holds each column of the primary key to a
// number, and it assigns values, or a column with a number added to it. A Direct is kept by the statement's text. Fill puts
// the values of an execution into a PointUpdate, whose Apply makes the writes of the stored row, most often by replacing some
// bytes of it. What is unusual, such as a text that is to be rounded, is for the change's other plan (package change).
//
// Invariant: what Apply stores is what package change would store.
//
// What the caller owes it. A PointUpdate that was given up may yet be applied, so it is not filled again.
package plan
