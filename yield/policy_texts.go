package yield

// text presents a choice: its name in lists, and its meaning, cost and source, a sentence each.
type text struct{ name, meaning, cost, source string }

// policyTexts has the texts of the policies.
var policyTexts = []text{
	{
		WoundWait.Name,
		"Reads and writes lock; in execution an older transaction aborts a younger holder that has not voted, all others wait.",
		"A younger transaction may be aborted during execution.",
		"D2PC section 5.1",
	},
	{
		WaitDie.Name,
		"Reads and writes lock; an older transaction waits for the holder, a younger one aborts.",
		"Young transactions abort often on contended rows.",
		"Bonspiel section 6.1",
	},
	{
		NoWait.Name,
		"Reads and writes lock; a request that conflicts with a holder aborts its transaction.",
		"Every conflict costs a retry.",
		"Bonspiel section 6.1",
	},
	{
		Lease.Name,
		"A read takes a lease of its row and the commit renews it; a write locks its row, and aborts if another holds it.",
		"A lease that cannot be renewed aborts its reader; all commits need timestamps.",
		"Sundial (PVLDB 11(10), 2018)",
	},
	{
		WoundWaitAlike.Name,
		"Wound-wait by age alone; each row is locked by itself, so a request that waits holds its other rows.",
		"High priority waits for older transactions of low priority.",
		"Natto section 4",
	},
	{
		WoundWaitPreempting.Name,
		"Wound-wait in which high priority aborts holders and waiters of low priority that have not voted.",
		"Low priority is aborted often.",
		"Natto section 4",
	},
	{
		WoundWaitOnWait.Name,
		"Wound-wait in which high priority aborts a low-priority holder that itself waits at the same shard.",
		"Waits at other shards do not count.",
		"Natto section 4",
	},
	{
		WoundWaitGroup.Name,
		"Wound-wait; on a hot row each transaction publishes its uncommitted value to the next, and they commit in that order.",
		"If one of them aborts, those that have read its value abort.",
		"TXSQL section 3.3",
	},
	{
		OfItsSource.Name,
		"An external database applies its own concurrency control; shards use wound-wait.",
		"Lock waits inside a source are not visible here.",
		"GeoTP",
	},
	{
		OverItsSource.Name,
		"Sources store records with versions; the middleware compares the versions at the prepare and validates reads after it.",
		"One more round trip per commit; a transaction that reads a prepared record aborts.",
		"ScalarDB (PVLDB 16(12), 2023)",
	},
	{
		Validate.Name,
		"Plain reads take no locks; the prepare validates them and aborts on a conflict.",
		"A conflict is found at the end, when the work is done.",
		"D2PC section 5.1",
	},
	{
		InArrivalOrder.Name,
		"Prepares of 2FI transactions are processed by arrival time; on a conflict low priority aborts and high priority waits.",
		"Low priority aborts on every conflict.",
		"Natto section 3.2",
	},
	{
		InArrivalOrderPreempting.Name,
		"Prepares are processed by arrival time; high priority waits, and aborts conflicting low priority that has not voted.",
		"Low priority aborts more often.",
		"Natto section 3.3.1",
	},
	{
		InArrivalOrderConditional.Name,
		"Prepares are processed by arrival time, with priority aborts; high priority may vote assuming that a voted low-priority transaction aborts.",
		"If that transaction commits, the high-priority one is retried.",
		"Natto section 3.3.2",
	},
	{
		ValidateInBatches.Name,
		"Prepares are gathered and validated together, in an order that avoids conflicts.",
		"A prepare waits for its batch.",
		"Aria (VLDB'20)",
	},
	{
		EachValidates.Name,
		"Every replica validates and locks nothing; FOR UPDATE is checked at the commit.",
		"Conflicting transactions that replicas receive in different orders can all abort.",
		"Carousel (SIGMOD'18)",
	},
	{
		EachByTimestamp.Name,
		"Every replica validates in the order of proposed timestamps and locks nothing; undecided writes of a row may coexist.",
		"The order may contradict real time where clocks differ.",
		"TAPIR (SOSP'15)",
	},
	{
		Reserve.Name,
		"Optimistic; a multi-region transaction reserves the rows that it reads and reads writes revealed by single-region ones.",
		"A single-region transaction aborts on a reservation.",
		"Bonspiel section 3.1",
	},
	{
		ReservePatiently.Name,
		"Optimistic; a multi-region transaction reserves the rows that it reads and waits for any lock on them.",
		"A single-region transaction aborts on a reservation; reserving reads wait longer.",
		"Polaris, as in Bonspiel section 3.1",
	},
	{
		ReserveByAge.Name,
		"Reservations as in GDCC; of two conflicting multi-region votes the older waits and the younger aborts.",
		"Young multi-region transactions abort more often.",
		"Bonspiel section 3.1.3",
	},
	{
		ReserveGivingWay.Name,
		"Reservations as in GDCC; a vote that meets a lock aborts, and ignores reservations of higher priority.",
		"Every conflict of votes costs a retry.",
		"the public prototype of Bonspiel",
	},
	{
		DetectEager.Name,
		"Reads and writes lock, with an object for each lock; every wait is searched for a deadlock.",
		"Searches get longer with the number of waiting transactions.",
		"TXSQL section 6.1.2",
	},
	{
		Detect.Name,
		"Reads and writes lock, with lock objects only under conflict; every wait is searched for a deadlock.",
		"Searches get longer with the number of waiting transactions.",
		"TXSQL section 3.1",
	},
	{
		DetectQueue.Name,
		"Two-phase locking with deadlock detection; requests for a hot row queue without a search.",
		"Deadlocks through a hot row are found later, by probes.",
		"TXSQL section 3.2",
	},
	{
		DetectGroup.Name,
		"Two-phase locking; on a hot row each transaction publishes its uncommitted value to the next, and they commit in that order.",
		"If one of them aborts, those that have read its value abort.",
		"TXSQL section 3.3",
	},
	{
		WoundWaitRetire.Name,
		"Wound-wait; every written row is readable by younger transactions before the writer commits.",
		"If the writer aborts, its readers abort.",
		"Bamboo (SIGMOD'21)",
	},
}

func (p Policy) String() string { return p.Name }

// Explain returns the policy's meaning, cost and source.
func (p Policy) Explain() (meaning, cost, source string) {
	for _, t := range policyTexts {
		if t.name == p.Name {
			return t.meaning, t.cost, t.source
		}
	}
	return "", "", ""
}
