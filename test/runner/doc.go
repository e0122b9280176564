// Command runner runs the tests of the repository, group by group, and reports their times and
// results. make test and make hours call it.
//
// How it works. It reads what go test -json writes. A test that fails is run once more, alone, when
// all groups are through: if it passes then, it is flaky, which the last lines name, and the run is
// green. At most three are run again; of more the cause is not chance. What the race detector finds, and what
// cannot be built, is never run again. A package that ends in the midst of its tests is run again
// as a whole.
//
// What the caller owes it. The groups, each after a "--": settings of the environment, then what go test
// is to be given. The pinned Go, in a directory of the module.
package main
