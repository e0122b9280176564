// Command isochron is the one binary: a geo-distributed serializable SQL database, and the commands
// to operate and measure it.
//
// How it works. A command parses and checks its flags (demo.go), then joins the packages: a cluster
// from package server, a MySQL port for each region from package sql, clients from package shop,
// figures from package console (demo_run.go). A cluster of processes is written by init.go and run,
// a node in each, by start.go; status.go queries their state. Load on any MySQL server and its
// checks are package sqlload's (workload.go, check.go). Results go to the standard output, progress
// and logs to the standard error. The exit code is 0 after success (Ctrl-C included), 1 if the
// command ran and failed, 2 if the request makes no sense.
//
// What the caller owes it. Nothing but a free port for each region; it listens on the
// loopback interface alone and needs no rights.
package main
