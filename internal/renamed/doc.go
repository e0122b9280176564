// Package renamed lists the public names that have a new name: flags and commands, make targets,
// procedures, columns of system tables, metrics. It is not for names of the code, which
// docs/inside/renames.tsv lists.
//
// # How it works
//
// Each layer reads its part of one table: cmd/isochron accepts old flags and commands, sql accepts
// old procedures, ops exports old metrics. An old name works for one release. It is hidden from help
// and documents, and its use prints a notice, returns a warning, or has a HELP that refers to the new
// name. Columns are the exception: a system table cannot hide a column, so an old column name fails.
//
// # Invariants
//
//   - no new name is also an old one of its kind and scope;
//   - CHANGELOG.md lists every pair.
//
// # What the caller owes it
//
// The table is read-only and safe to share. To rename a public name, add a row; to end the support of
// an old one, delete its row. A test in cmd/isochron walks all rows.
package renamed
