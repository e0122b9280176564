// Package coverage names the rules of the core on which its promises rest, and counts how
// often each bites: how often it has refused something, or changed it, that would have gone
// on without it. A hunt in which a rule never bit has proved nothing about that rule.
//
// How it thinks. A Rule stands for one branch of the code, or for a few that keep the same
// promise, and is counted there: not where the rule is asked, but where its answer makes the
// difference. Most are rules that a mutation of test/mutants takes away. A Counts is an array
// with a place for each; one that is nil counts nothing, so that a node outside of a hunt pays
// one test where a rule bites, and nothing elsewhere.
//
// Not named are the second lines: rules that bite only if another has failed, such as that a
// Yes which comes into the log after its fence is void (its leader has refused it before), or
// that acknowledgements of two terms do not add up (a Prepare is good in one).
//
// Which rows of the protocol table can come to which rule is not said here: it follows from
// their choices, and stands in sim.
//
// What its caller owes it. All nodes that share a Counts are driven by one goroutine.
package coverage
