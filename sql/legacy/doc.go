// Package legacy is the door between the SQL core and go-mysql-server, the engine: what the engine has for the core's types
// and values, and what the core still asks of it. Its aim is to be the only importer of the engine.
//
// How it works. TypeOf describes a type of the engine as one of ours. Values are the same in both but for two kinds:
//
//	              core           engine
//	TIME          coltype.Span   types.Timespan
//	JSON          coltype.JSON   a JSON document
//
// FromEngine and ToEngine convert them. Text that the engine keeps behind a handle is loaded by FromEngine.
//
// What the caller owes it. Types of columns, or of expressions; a type that no column has is of kind 0.
package legacy
