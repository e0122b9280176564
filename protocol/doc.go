// Package protocol is the table of protocols: each is a Spec, a value with one choice for each move. It
// implements no choice: the moves (schedule, yield, decide, reveal) and the packages above do.
//
// # How it works
//
// Protocols that agree in a choice have the same word in the same column. A literal of the table names
// its base and what differs from it (table.go); resolve fills in the rest, and Check rejects choices
// that do not fit together (resolve.go). Types of columns that belong to no move, such as where reads go
// and which replicas validate, are in choices.go. Code asks a Spec for its choices, never for its name.
//
//	{Name: "d2pc+2pl", Base: "2pc+2pl", Decide: decide.CoCoordinators, Reveal: reveal.OnPreCommit, ...}
//	     resolve:  every other column from 2pc+2pl
//	     Check:    Reveal.WhenVoted needs Decide.Bypasses: fits
//
// # Invariants
//
//   - A Spec of Table has no empty column but Notes, and Check accepts it.
//   - Names are unique and never reused for another protocol: they are in logs and directories.
//
// # What the caller owes it
//
//  1. A new protocol is a new literal; a new choice is a value of its move's type, implemented
//     inside that move.
//  2. Clusters take their Spec from LiveByName: some protocols run in simulations only.
//  3. A Spec is a value that is not changed; an experiment that changes one calls Check again.
//
// See docs/inside/add-a-protocol.md; yield/DESIGN.md and decide/DESIGN.md explain the choices.
package protocol
