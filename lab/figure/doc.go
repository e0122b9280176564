// Package figure repeats the figures of papers in the laboratory.
//
// How it thinks. A Figure is data: rows of the protocol table, the parameter over
// which they are compared, what is measured, and what the paper claims. All its
// runs are experiments of package lab that differ in nothing but the row and the
// parameter; they go side by side (run.go). What comes back is a Grid, from which
// pictures (plot.go) and the paper's claims (claims.go) are read. A claim is a
// number of the paper beside ours, and it is met or not: no figure has a
// parameter of its own with which to please the paper. Claims are read again with
// CPU halved and doubled, and with other disks, so that one can see what hangs on them.
//
// What the caller owes it. Only lab may be below: a figure never looks into a
// cluster. Results of a --quick run are there to see that it works, not to be quoted.
package figure
