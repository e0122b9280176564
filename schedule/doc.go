// Package schedule is the first move: when the parts of a round leave, so that they arrive
// together. It computes departures; it neither sends nor measures delays (estimate).
//
// # How it works
//
// A round goes to several participants, each at a known round trip and, where the policy needs
// it, with the work expected there. A Policy turns these into the time that each part waits:
//
//	AtOnce        near  |--|            AlignReplies  near       |--|
//	              far   |--------|                    far   |--------|
//	                                                        replies arrive together
//
// AtArrivalTime sends immediately, and each participant queues its part until the time at which the
// last one should arrive. WritesLast orders the statements of a part; InnerLast makes parts wait for
// the replies to others.
//
// # Invariants
//
//   - 0 <= delay <= 1 s for every part; an unknown round trip neither waits nor delays others.
//   - The longest part of a round leaves immediately.
//   - Order never moves a statement past one that may lock a common record.
//
// # What the caller owes it
//
//  1. Round trips and expected work from package estimate, negative if unknown.
//  2. Keep each part for as long as Delays returns, or until the parts that HeldBack does not name
//     are answered; leave at that time, not at the next tick.
//  3. Execute a part's statements as Order returns.
//
// All functions are pure and safe to call concurrently; returned slices are the caller's.
//
// Stories: sim/testdata/20-replies-arrive-together.txt, 21-requests-are-postponed-by-forecast.txt,
// 41-natto-votes-by-arrival-time.txt. Papers: GeoTP sections 4.2 and 4.3, Natto 3.2, and GeoTP 6.1
// for its baselines.
package schedule
