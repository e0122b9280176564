// Package enginetable is the engine's view of tables: it implements the engine's interfaces of tables, indexes, editors and
// their definition over sql/table and sql/catalog. It does not plan statements.
//
// How it works. A lookup of the engine becomes an Access of sql/table (ForLookup), whose rows are given to the engine in its
// own values. A row that the engine writes is read and written as sql/table has it; a change of a definition is a step of the
// session's change of the catalogue. Rows of a statement with SKIP LOCKED carry their keys through the engine (Mark).
//
// What the caller owes it.
//
//  1. Every session is a Session of this package.
//  2. A table comes from a catalogue Snapshot and is used only within its statement.
package enginetable
