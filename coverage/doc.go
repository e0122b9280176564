// Package coverage names the rules of the core that its guarantees depend on, and counts how often each
// is hit: how often it has refused or changed something that would have continued without it. It does
// not measure statements of code. A fault run in which a rule was never hit proves nothing about it.
//
// # How it works
//
// A Rule represents one branch of the code, or for a few that keep the same guarantee. It is
// counted where its result makes a difference, not where it is evaluated. Most are rules that a
// mutation of test/mutants removes. A Counts is an array with one number per rule; nil counts
// nothing, so that a node outside of a fault run pays one test where a rule is hit, and nothing
// elsewhere.
//
//	locks.acquire: the holder is older            YoungerWaits is evaluated
//	               and the requester now waits    YoungerWaits is hit
//
// Second lines of defence are not named: rules that are hit only if another has failed, such as that a
// Yes logged after its fence is void (its leader has refused it before), or that acknowledgements of
// two terms are not added (a Prepare is valid in one).
//
// Which protocols can hit which rule follows from their choices and is defined in package sim.
//
// # Invariants
//
//   - len(book) = the number of rules; names are unique.
//   - Hit changes nothing but the count.
//
// # What the caller owes it
//
//  1. All nodes that share a Counts are driven by one goroutine.
//  2. The condition of HitIf is cheap; otherwise call On first.
//
// docs/generated/rules.md lists the rules; it is written by go test ./sim -run RulesPage -args -rewrite.
package coverage
