// Package figure repeats the figures of papers in the laboratory. It measures nothing itself: all
// runs are experiments of package lab.
//
// # How it works
//
// A Figure is data: protocols, the parameter over which they are compared, measures, and the
// paper's claims. Run makes the experiments, which differ only in the protocol and the parameter,
// in parallel:
//
//	Figure --specs--> lab.RunAll --results--> Grid --> pictures (plot.go, bars.go, timeline.go)
//	                                              +--> verdicts of claims (claims.go)
//	                                              +--> Record in docs/figures --> tables of docs
//
// A claim is a number of the paper and a band around it; ours is met, better, short, or no number.
// Claims are judged again with CPU time halved and doubled and with other disks, which shows what
// they depend on.
//
// # Invariants
//
//   - All experiments of a Part differ only in protocol (or Variant) and parameter.
//   - A Record has as many claims under each of its costs as the figure has claims.
//   - No number in a document is typed: WriteTables writes tables from records.
//   - Reasons are in the figure, not in its record: they can be improved without running it again.
//
// # What the caller owes it
//
//  1. A figure of All or ByName. Its parameters are the paper's: none is chosen to meet a claim.
//  2. Only package lab below: a figure never looks into a cluster.
//  3. Results of a quick run are not to be quoted; Record refuses them.
//
// See docs/laboratory for the papers, and docs/generated/claims.md for all claims.
package figure
