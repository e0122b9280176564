package coordinator

import (
	"testing"

	"isochron/txn"
)

// A transaction that reads a row again in another version aborts.
func TestARowIsReadInOneVersion(t *testing.T) {
	var v readSet
	row := txn.Row{Key: "a", Value: []byte("1"), Version: txn.Version{Node: 1, Seq: 1}}
	if !v.note(row, txn.LockNone, false) || !v.note(row, txn.LockShared, false) {
		t.Error("the same version does not do")
	}
	row.Version.Seq++
	if v.note(row, txn.LockNone, false) {
		t.Error("another version does")
	}
}
