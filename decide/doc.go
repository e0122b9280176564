// Package decide is the third move: how votes become a decision.
//
// How it thinks. A Tally is what somebody knows of one attempt: who takes part,
// who said what. It decides as soon as what it knows forces the decision: all
// logged Yes forces commit, at the largest proposed timestamp; one No that can
// never become a Yes forces abort. Since everybody who decides does so from the
// same logged facts, a coordinator and whoever finishes its work in its place
// cannot disagree. The same Tally serves both: votes that come by themselves
// and findings that had to be asked for count alike.
//
// An Attempt is a Tally on its way: it asks for votes, asks the logs when silence
// lasts too long, and has the decision told until all know who must. Who is asked,
// what counts and who is told differs from row to row, and is a scheme:
//
//	leaders    each participant's leader votes and carries the decision on
//	atLeader   as leaders, but the node of one of them decides for the gateway
//	bypass     as leaders, and replicas acknowledge past them to co-coordinators
//	replicas   every replica validates; what enough of them say counts, else the
//	           slow path: the leader proposes, or the coordinator
//
// Where a participant's votes cannot be looked up by others (a foreign database) the
// decision does not follow from logged votes. Then what the votes force is a proposal,
// and the verdict is what the first to write in a log of decisions wrote there.
//
// A Decider opens attempts with the scheme of a row's Choice; nothing outside asks which
// it is. A CoCoordinator takes part in the attempts of other gateways, and a Route says
// who hears of votes past their leaders. Orphans tells which votes somebody has to look after.
//
// What the caller owes it. A Yes is counted only when a majority has logged it,
// a No only when that participant can never vote Yes for this attempt (a leader
// refused it in the one term to which the prepare is addressed, or a fence is
// logged). Silence is neither. Calls come one at a time, with the World's clock
// moved on; what the World sends may be lost, doubled or late.
package decide
