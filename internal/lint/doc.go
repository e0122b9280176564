// Package lint holds the rules of the house that a compiler does not know.
//
// How it works. The plan of the house is data: the floors, what each package
// may import, which packages make up the core that knows no clock, no chance
// and no goroutines (plan.go). A check is a function from the tree to findings,
// each of them one line that names the file, the line and the rule. Most checks
// read syntax alone (core.go, floors.go, rows.go, size.go, methods.go, paper.go,
// wrapped.go, hours.go); one asks the types, because only they know what a map
// is (maporder.go); two read pages: each link has its target (links.go), and each
// package, file, flag, make target and metric that a page names exists (refs.go).
// words.go counts words and fails nothing.
//
// What the caller owes it. A directory with a go.mod of module isochron. The
// test of this package runs every check over the repository, and plants a
// violation of every rule in a small tree of its own, so that no check can
// fall silent.
package lint
