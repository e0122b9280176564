// Package sysvars defines the system variables of SQL sessions: variables that Isochron adds to the
// SQL engine or defines otherwise, and the engine's that have an effect in Isochron, each with its
// default, scope, range, unit and meaning.
//
// # How it works
//
// All is one table. legacy.RegisterVariables adds the variables that are not the engine's own to the engine, once for
// the process. Package sql reads the values; the keys of a node's configuration that set them are in
// server/deploy. docs/generated/variables.md is made from All.
//
// # Invariants
//
//   - Names are unique; a variable that is not OfEngine has a default within its range.
//   - An integer's default and value have the type int64.
//
// # What the caller owes it
//
//  1. Call legacy.RegisterVariables before the first session begins.
//  2. Take names and defaults from the constants.
package sysvars
