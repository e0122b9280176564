// Package schedule is the first move: when the parts of a round leave, so that
// they arrive together.
//
// How it thinks. A round goes to several places, each at a known round trip, and where the
// choice asks for it with the work that is expected there. A Choice turns these into how
// long each part waits before it leaves. Sending at once is the plainest choice; GeoTP's
// postponed dispatch and Natto's arrival timestamps stand on the same estimates.
//
// What GeoTP is compared with orders within a part, or has parts wait for others' answers.
//
// What the caller owes it. It keeps each part back for as long as Delays says, or until those that
// HeldBack does not name are answered, and has a part's statements executed as Order says.
package schedule
