package parse

import "testing"

func TestTransactionsAreRead(t *testing.T) {
	for text, want := range map[string]Transaction{
		"begin":                 {},
		" /* x */ BEGIN WORK ;": {},
		"START TRANSACTION":     {},
		"start transaction /*+ priority(high) */":                {},
		"START TRANSACTION READ WRITE, WITH CONSISTENT SNAPSHOT": {Consistent: true},
		"START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY":  {Consistent: true, ReadOnly: true},
		"COMMIT":                               {Kind: Commit},
		"commit work and no chain no release;": {Kind: Commit},
		"ROLLBACK -- all":                      {Kind: Rollback},
		"rollback work":                        {Kind: Rollback},
		"ROLLBACK AND NO CHAIN":                {Kind: Rollback},
		"ROLLBACK WORK TO SAVEPOINT a":         {Kind: RollbackToSavepoint, Savepoint: "a"},
		"ROLLBACK TO savepoint":                {Kind: RollbackToSavepoint, Savepoint: ""},
		"rollback to `a``b`":                   {Kind: RollbackToSavepoint, Savepoint: "a`b"},
		"SAVEPOINT `a b`":                      {Kind: SetSavepoint, Savepoint: "a b"},
		"release savepoint x1":                 {Kind: ReleaseSavepoint, Savepoint: "x1"},
	} {
		got := ReadTransaction(text, false)
		if want.Kind == RollbackToSavepoint && want.Savepoint == "" {
			if got != nil {
				t.Errorf("%s: %+v, want none", text, got)
			}
			continue
		}
		if got == nil || *got != want {
			t.Errorf("%s: %+v, want %+v", text, got, want)
		}
	}
	for _, text := range []string{
		"", "BEGIN; SELECT 1", "BEGIN NOT", "BEGIN SELECT 1", "START", "START REPLICA", "START TRANSACTION READ", "START TRANSACTION READ ONLY, READ WRITE", "START TRANSACTION ,",
		"START TRANSACTION READ ONLY,", "COMMIT AND CHAIN", "COMMIT RELEASE", "COMMIT 1", "ROLLBACK TO", "ROLLBACK TO 'a'", "SAVEPOINT", "SAVEPOINT 'a'", "SAVEPOINT a b", "RELEASE a", "SELECT 1",
	} {
		if got := ReadTransaction(text, false); got != nil {
			t.Errorf("%s: %+v, want none", text, got)
		}
	}
}
