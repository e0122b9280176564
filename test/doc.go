// Package test tries the whole of Isochron as a client does: real connections,
// real time, real disks, five regions in one process with short delays between
// them.
//
// How it works. An anomaly is a few scripted transactions, some rows, and the order of steps in
// which a weaker database goes wrong (anomaly_test.go). A script is a list of operations, each with
// its SQL and its effect on a model of the table (script_test.go). They are played over connections
// to different regions, step by step; a step may block, and a transaction may abort (play_test.go).
// Then the committed transactions are checked: some serial order of them must explain every row
// they read and every row that is left (judge_test.go). The same scripts are played in random
// orders too, and crowds of clients run freely under the checkers of package history
// (concurrent_test.go). The suite can fail: the flag -dsn points it at any MySQL server, and one
// that runs READ COMMITTED fails it.
//
// What the caller owes it. Time, two processors, and a directory for temporary
// files. No test here leans on how long something takes, only on that it ends.
package test
