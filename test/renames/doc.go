// Command renames proves that a commit changed the names of messages in the golden stories and
// nothing else: the stories of the first commit (sim/testdata/*.txt), put through the rows of kind
// message of docs/inside/renames.tsv, are those of the second, byte for byte.
//
// How it works. A message's name is a whole word. The table is the one of the second commit. A
// story of one commit alone is a difference, and so is a story in which a byte differs. In comments,
// the lines that begin with "#", a word may be the former name or the present one: some of these
// names are English words too.
//
// What the caller owes it. Two commits, inside a clone that has both:
//
//	go run ./test/renames 31eda60 0c9aa73
//
// It ends with 0 if all stories are equal, with 1 if one differs, which it names with its first
// differing line, and with 2 if a commit cannot be read.
package main
