// Package coordinator runs transactions for the clients of one gateway: execute, commit, recover.
// How votes become a decision is package decide's.
//
// # How it works
//
// A Coordinator is a state machine: clients' requests, replies of participants and ticks go in;
// messages and responses come out. A transaction is a set of reads with their versions, collected
// in rounds, each sent to all participants concerned in parallel. A pendingCommit is one attempt to
// commit: the Prepares, the waiting client, and the cost. Package decide drives the attempt; the
// coordinator passes it the messages, wakes it, and acts on the verdict. The same, without a
// client, finishes the attempts of lost coordinators.
//
//	begin -> [admission] -> rounds of reads and statements -> commit -> decided -> finished
//	              |                  |                           |
//	           refused            wounded, lost lock,        client's wait ends: unknown;
//	                              protocol switch            the attempt continues
//
// The Coordinator begins and ends transactions and gives each request and message to one of its
// parts. Each part owns its state and has an interface with the functions of the others that it
// uses: admissionController and protocolSwitch decide which transactions may begin, reads runs
// rounds of reads, statements runs rounds at sources, commitManager runs attempts, attempts numbers
// them, decisions logs the outcomes, leaders finds the nodes to ask, reports records the cost.
//
// NewDB is the blocking side: it keeps a client's writes, with savepoints, shows a transaction its
// own writes, and talks to the state machine through a Port.
//
// # Invariants
//
//   - A transaction has at most one pending round, commit or admission wait.
//   - Writes leave the client's buffer only with the commit (or as published values of hot rows).
//   - Sent a Prepare => the attempt ends by its tally only, never by a timer here.
//   - All open transactions that are not committing run under the gateway's present protocol.
//   - Numbers of requests, transactions and attempts never repeat across incarnations.
//
// # What the caller owes it
//
//  1. Each start of a node has a higher Epoch, durable before the first transaction.
//  2. Calls come one at a time: Submit, Deliver, Tick, Depart. Only NewDB's side may be used from
//     other goroutines.
//  3. Call Tick at NextWake, and Depart at NextDeparture, not at the next tick.
//  4. A request's Done is called once, from inside a later call. Request.Then runs in the loop: it
//     must be quick and must not block.
//  5. Messages handed to Env.Send, and reports in a journal, are immutable.
//
// Reasons: DESIGN.md. Stories: sim/testdata/1-2pc-votes-are-the-commit.txt,
// 6-logs-replace-a-lost-coordinator.txt, 20-replies-arrive-together.txt,
// 22-sources-commit-in-one-round.txt, 28-hot-rows-are-read-at-the-leader.txt,
// 40-carousel-votes-while-it-reads.txt. Papers: Bonspiel sections 2 and 3.2, Natto 2 and 3, GeoTP
// 4, TXSQL 3.3.
package coordinator
