// Command cmd runs the checks of internal/lint without a test, and prints what they count.
//
// How it works. Without an argument it prints the findings of every check, one a line, and ends
// with 1 if there are any. "words" prints how often each phrase of internal/lint/words.tsv occurred
// in a commit and occurs now; "prose" prints the number of words of each page that is written by hand,
// and their sums, of records of measurement and of all others. These two fail nothing.
//
// What the caller owes it. A directory inside the clone:
//
//	go run ./internal/lint/cmd [words [COMMIT] | prose]
package main
