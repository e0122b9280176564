// Package preauth guards the ports of a node against those who have not proved who they
// are.
//
// How it thinks. A port has some places for strangers, apart from those for clients who
// have logged in. When they are taken a newcomer is let in and another stranger goes:
// of the address that has the most, the oldest that has said nothing, or else the
// oldest. So whoever opens thousands of connections pushes out its own, and somebody
// who comes to log in finds a place. Who has just come is given a moment first, for a
// burst of honest clients needs one; meanwhile newcomers wait in the kernel's queue.
//
// Failures makes the answer to a wrong password wait, longer with each one, by account
// and by address. Only the answer to a failure waits: whoever knows the password comes
// in at once, so nobody can lock out somebody else by guessing badly.
//
// Everything is bounded: strangers by their places, what is remembered of failures by
// the size of its tables. The rules (Strangers, Failures) are given the time; Door
// takes it from the clock.
//
// What the caller owes it. Each Guest that Enter or Admit took is told to Leave once,
// when it has logged in or ended.
package preauth
