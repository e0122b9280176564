// Command isochron is the one binary: a geo-distributed serializable SQL
// database, and what is needed to look at it.
//
// How it thinks. A command parses and checks its flags (demo.go), then joins the
// floors of the house: a cluster from package server, a MySQL port for each
// region from package sql, clients from package shop, figures from package
// console (demo_run.go). A cluster of processes is written by init.go and run, a
// node in each, by start.go; status.go asks them how they are. Load on any MySQL
// server and the judging of it are package sqlload's (workload.go, check.go).
// Results go to the standard output, progress and logs to the standard error. It
// ends with 0 when it did what was asked (Ctrl-C included), 1 when it ran and
// failed, 2 when it was asked for something that makes no sense.
//
// What the caller owes it. Nothing but a free port for each region; it listens on the
// loopback interface alone and needs no rights.
package main
