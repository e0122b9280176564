// Package coordinator runs transactions for the clients of one gateway:
// execute, commit, recover.
//
// How it thinks. A Coordinator is a state machine: clients' requests, shards'
// answers and ticks go in; messages and clients' answers come out. A
// transaction is a set of reads with the versions they saw, gathered in rounds,
// each of which goes to all shards concerned at once. A commitment is one
// attempt to commit: what each participant is asked, who waits for the answer, and
// what that costs. How the votes become a decision is not its business: package
// decide drives the attempt, and the coordinator hands it what nodes say, wakes it
// and acts on the verdict. The same, without a client, finishes the attempts of
// coordinators that died.
//
// The Coordinator begins and ends transactions and hands each request and message to one of
// its parts. Each part owns its state and is given what it needs of the others: admission
// (gate) and a switch of protocols (turn) decide who may begin, reads runs rounds, commits
// runs attempts, attempts names them, decisions logs what was decided, leaders knows whom
// to ask, reports tells what it cost.
//
// The blocking side that clients hold (NewDB) keeps the writes, with savepoints,
// and shows a transaction its own; it speaks to the state machine through a Port.
//
// What the caller owes it. Calls come one at a time; a request's Done is called
// once, from inside a later call. An incarnation of a coordinator never repeats:
// each start of a node has a higher epoch, durable before the first transaction.
package coordinator
