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
// What the caller owes it. A Yes is counted only when a majority has logged it,
// a No only when that participant can never vote Yes for this attempt (a leader
// refused it in the one term to which the prepare is addressed, or a fence is
// logged). Silence is neither.
package decide
