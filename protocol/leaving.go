package protocol

import "fmt"

// CheckSwitch says why a running cluster cannot go over from one protocol to another; nil if it can,
// and if it need not.
//
// Where declared transactions are voted on while they are read, what they write is logged beside
// their votes, by a transaction of its own. A shard that is to change begins nothing more and waits
// for its votes to end; those of a lost coordinator would wait for such an entry for ever.
func CheckSwitch(from, to string) error {
	if _, err := LiveByName(to); err != nil || from == to {
		return err
	}
	if row, err := ByName(from); err == nil && row.Decide.Declares() {
		return fmt.Errorf("a cluster under %s cannot go over to another protocol: make a new one with --protocol %s, and restore a backup of this one there", from, to)
	}
	return nil
}
