package decide

import "isochron/txn"

// PrepareMode is a protocol's choice of how participants come to prepare.
type PrepareMode uint8

// The choices.
const (
	// AskUnset is no choice; a protocol of the table that has it inherits one.
	AskUnset PrepareMode = iota
	// Parallel: the coordinator asks all of them in parallel, at the commit.
	Parallel
	// Sequential: the coordinator asks one after the other, and sends the decision in the same way.
	Sequential
	// Decentralized: a source prepares by itself when it has executed the transaction's last
	// statement; the others are asked in parallel with that statement (GeoTP section 4.1).
	Decentralized
	// NoPrepare: no participant prepares. Each commits by itself, without atomicity.
	NoPrepare
	// PrepareThenValidate: as Parallel; and when all have prepared, those with an open Yes are
	// asked whether what they have read and not written is still valid (ScalarDB's validation,
	// PVLDB 16(12), 2023). A transaction at one source is prepared, and its decision logged, too.
	PrepareThenValidate
)

// prepareTexts has the text of each choice, in the order of the constants.
var prepareTexts = [...]text{
	{name: "unset"},
	{
		"all in parallel",
		"The coordinator asks all participants to prepare in parallel, at the commit.",
		"One round trip at the commit.",
		"textbook two-phase commit",
	},
	{
		"one after the other",
		"The coordinator asks one participant after the other, and sends the decision in the same way.",
		"A round trip for each participant, twice.",
		"GeoTP section 6.1 (ShardingSphere)",
	},
	{
		"by itself, with its last statement",
		"A participant prepares by itself after the transaction's last statement; the others are asked in parallel with it.",
		"Without a mark on the last statement the prepare takes a round trip.",
		"GeoTP section 4.1",
	},
	{
		"none: each participant commits by itself",
		"No participant prepares; each commits by itself.",
		"Some may commit and others abort.",
		"GeoTP section 6.1 (local transactions)",
	},
	{
		"all in parallel, then each validates its reads",
		"All prepare in parallel; then each checks that the rows that it has only read are unchanged.",
		"One more round trip per commit.",
		"ScalarDB (PVLDB 16(12), 2023)",
	},
}

func (a PrepareMode) String() string { return prepareTexts[a].name }

// Explain returns the choice's meaning, cost and source.
func (a PrepareMode) Explain() (meaning, cost, source string) {
	t := prepareTexts[a]
	return t.meaning, t.cost, t.source
}

// turns returns how many round trips, one after the other, the votes take.
func (a PrepareMode) turns(votes int) int {
	switch a {
	case Sequential:
		return max(votes, 1)
	case PrepareThenValidate:
		return 2
	}
	return 1
}

// Validates reports whether sources are asked again when all have prepared. Then only the
// coordinator knows whether the attempt can commit until it has logged that, also with a single
// participant.
func (a PrepareMode) Validates() bool { return a == PrepareThenValidate }

// next are the participants with missing votes that are asked now.
func (a PrepareMode) next(missing []txn.ShardID) []txn.ShardID {
	if a == Sequential && len(missing) > 1 {
		return missing[:1]
	}
	return missing
}
