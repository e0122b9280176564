// Package memory bounds what the statements of a node hold: one statement, the variables and values
// of a connection, all statements of an account, and all of a node.
//
// How it works. A Budget has the bounds, which settings change while it runs. A statement has an
// Account, to which the parts of its plan charge what they hold (Holding), by sizes that are
// estimates from above. A charge beyond a bound is an error that
// names the setting: the statement ends, and the node lives. Kept counts what a connection keeps
// between its statements.
//
// What the caller owes it. An Account is closed when its statement ends; what goroutines of the
// statement charge later is given back at once. A part charges before it holds.
package memory
