package shard

import (
	"strings"

	"isochron/txn"
)

// causes tell, for those who count, what stands behind the reasons that are written
// for people; a test holds them against the reasons that this package gives.
var causes = []struct {
	reason string // its beginning
	cause  txn.Cause
}{
	{"an older transaction, or one whose value it had read, ended it", txn.CauseWound},
	{"its locks were lost to an older transaction", txn.CauseWound},
	{"it and ", txn.CauseWound}, // wait for each other; deadlocked as well
	{"gives way to ", txn.CauseConflict},
	{"a row it read has changed", txn.CauseValidation},
	{"a range it read has changed", txn.CauseValidation},
	{writtenSince, txn.CauseWrite},
	{"waited too long", txn.CauseLockTimeout},
	{"what it read was not decided in time", txn.CauseLockTimeout},
	{"one whose value it had read was undone", txn.CauseCascade},
	{"a transaction whose write it had read was aborted", txn.CauseCascade},
	{"the attempt was ended by others", txn.CauseLeader},
	{"refused before", txn.CauseLeader},
	{"the shard's log takes no more now", txn.CauseUnavailable},
	{otherProtocol, txn.CauseProtocol},
}

// causeOf is the cause of a refusal, CauseOther if its kind says enough.
func causeOf(k txn.Kind, reason string) txn.Cause {
	if k != txn.KindAborted {
		return txn.CauseOther
	}
	for _, c := range causes {
		if strings.HasPrefix(reason, c.reason) {
			return c.cause
		}
	}
	return txn.CauseOther
}
