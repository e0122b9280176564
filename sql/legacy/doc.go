// Package legacy is the door between the SQL core and go-mysql-server, the engine: what the engine has for the core's types
// and values, and what the core still asks of it. Its aim is to be the only importer of the engine.
//
// How it works. TypeOf describes a type of the engine as one of ours. Values are the same in both but for two kinds:
//
//	              core           engine
//	TIME          coltype.Span   types.Timespan
//	JSON          coltype.JSON   a JSON document
//
// FromEngine and ToEngine convert them. A Column is a column's definition: ColumnOf makes it of the engine's, and NewSchema
// makes of a table's the columns that the engine's plans have, and their types. The engine is given texts to convert only
// within its bounds (Within).
//
// What the caller owes it. Types of columns, or of expressions; a type that no column has is of kind 0.
package legacy
