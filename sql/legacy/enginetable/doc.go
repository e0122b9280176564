// Package enginetable is the engine's view of tables: it implements the engine's interfaces of tables, indexes and their
// definition over sql/table and sql/catalog. The engine lists tables, changes their definitions, and reads rows where a new
// foreign key or check is to hold for them. It writes no rows.
//
// How it works. A lookup of the engine becomes an Access of sql/table (ForLookup), whose rows are given to the engine in its
// own values. A change of a definition is a step of the session's change of the catalogue.
//
// What the caller owes it.
//
//  1. Every session is a Session of this package.
//  2. A table comes from a catalogue Snapshot and is used only within its statement.
package enginetable
