// Package wire reads and writes the packets of MySQL's client protocol that carry statements and their answers.
//
// # How it works
//
// Parameters reads the values of an executed statement out of the bytes that a client sent. A Writer appends packets to one
// buffer, which its caller sends: a short answer is one write. Rows go from the values that were read to the packet with one
// copy, in the text form or the binary one. The columns of a plan are encoded once (Columns), since their packets are the
// same for each of its answers.
//
// # What the caller owes it
//
// Begin for each answer; rows with as many values as there are columns; and a bound on Len, for a Writer takes whatever it
// is given. Connections, logins and TLS are not its concern.
package wire
