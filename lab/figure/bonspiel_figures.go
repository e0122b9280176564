package figure

import (
	"slices"
	"time"

	"isochron/lab"
)

// bonspielFigures are those of the Bonspiel paper, each beside the same as its prototype measures.
var bonspielFigures = slices.Concat(besidePrototype(bonspielMotives), besidePrototype(bonspielSystems), besidePrototype(bonspielParts), bonspielVotes, bonspielPlaces)

// bonspielMotives are those of section 1.
var bonspielMotives = with(Figure{Protocols: []string{"spanner", "tapir", "gpac", "r4"}, Base: bonspielYCSB(0.2, 1), Costs: bonspielCosts}, []*Figure{
	{
		Name: "bonspiel/fig1", Title: "YCSB-A, all of several regions, low contention: the mean of four commits",
		Source: "Bonspiel, section 1, figure 1",
		Axis:   bonspielFewClients(),
		Shows:  []Measure{latency, commitLatency, throughput, abortRate},
		Claims: []Claim{
			claim(latency, "r4", "spanner", AtTheEnd, Lower, 1.6),
			claim(latency, "r4", "spanner|tapir|gpac", AtTheEnd, Below, 0),
			claim(latency, "gpac", "tapir", AtTheEnd, Below, 0),
			claim(latency, "tapir", "spanner", AtTheEnd, Below, 0),
		},
		Purpose: whyNear,
	},
	{
		Name: "bonspiel/fig2", Title: "YCSB-A, all of several regions: what the slowest take",
		Source:  "Bonspiel, section 1.1, figure 2",
		Axis:    bonspielZipf,
		Shows:   []Measure{tailOf("p99.9", ""), slowExecute, slowCommit, slowLost, throughput},
		Claims:  noBetterTail(),
		Purpose: whyFewMeet,
	},
	{
		Name: "bonspiel/fig3", Title: "TPC-C: what the slowest take",
		Source: "Bonspiel, section 1.2, figure 3",
		Axis:   bonspielWarehouses, Base: bonspielTPCC(highContention),
		Shows:  []Measure{tailOf("p99.9", ""), slowExecute, slowCommit, slowLost, throughput},
		Claims: noBetterTail(),
	},
})

// whyNear is why tapir has the shortest mean at low contention.
const whyNear = `tapir reads at the replica beside the client, as in the paper's table 7, and the three others at
leaders in other regions: that is half of their latency. The public prototype reads at leaders under tapir as well. Its
commit alone is shorter too, as long as its fast quorum of four in five agrees.`

// whyNearAlone is the rest of figure 12 at low contention.
const whyNearAlone = `No protocol that reads at leaders has a shorter tail or mean than Bonspiel at any share, nor more
throughput.`

// whyFewMeet is why figure 2 has shorter tails at its low contention.
const whyFewMeet = `At Zipf 0.2 so few of 240 clients conflict over half a million rows that one to ten tries in a hundred are
aborted: the slowest thousandth takes two or three tries, each shorter by the difference of the commits. The paper has a hundred times the
clients and the rows, and so more clients for each of its hot rows. At Zipf 0.8, and in figure 3, the result is the paper's:
a starved transaction is as old as the run is long, whatever the commit.`

// noBetterTail: a protocol that commits in fewer round trips has no shorter tail.
func noBetterTail() (out []Claim) {
	for _, row := range []string{"tapir", "gpac", "r4"} {
		out = append(out, claim(tailOf("p99.9", ""), row, "spanner", AtWorst, AtMost, 100*Tolerance))
	}
	return out
}

// bonspielSetting is the setting of most figures: TPC-C under high contention and low.
var bonspielSetting = Figure{Protocols: bonspielRivals, Axis: bonspielWarehouses, Base: bonspielTPCC(highContention), Costs: bonspielCosts}

// bonspielSystems are those of section 4.1.
var bonspielSystems = with(bonspielSetting, []*Figure{
	bonspielOverall("bonspiel/fig8low", "low contention", lowContention),
	bonspielOverall("bonspiel/fig8high", "high contention", highContention),
	{
		Name: "bonspiel/fig9", Title: "TPC-C: transactions of a single region",
		Source: "Bonspiel, section 4.1.1, figure 9, with the most clients",
		Shows:  []Measure{tailOf("p99.9", "SR"), latency.of("SR"), throughput.of("SR")},
		Claims: []Claim{
			claim(tailOf("p99.9", "SR"), "bonspiel", bonspielOthers, AtWorst, Lower, 1),
			claim(latency.of("SR"), "bonspiel", bonspielOthers, AtWorst, Lower, 1),
		},
		Purpose: whyWhoCommits,
	},
	{
		Name: "bonspiel/fig10", Title: "TPC-C: aborts by class",
		Source: "Bonspiel, section 4.1.1, figure 10, with the most clients",
		Shows:  []Measure{abortRate.of("MR"), abortRate.of("SR"), abortRate, lostTries.of("MR"), lostTries.of("SR"), neverEnded, throughput},
		Claims: []Claim{
			claim(abortRate.of("MR"), "bonspiel", bonspielOthers, AtWorst, Below, 0),
			claim(abortRate.of("SR"), "bonspiel", "r4", AtTheStart, Level, 0),
			claim(abortRate.of("SR"), "bonspiel", "r4", AtTheEnd, Level, 0).because("most of r4's clients are caught in transactions of several regions, so that fewer of SR meet"),
			claim(abortRate, "bonspiel", "r4", AtTheStart, Level, 0),
			claim(abortRate, "bonspiel", "r4", AtTheEnd, Level, 0),
		},
	},
	{
		Name: "bonspiel/fig11", Title: "TPC-C: more and more of the tail",
		Source:  "Bonspiel, section 4.1.2, figure 11, with the most clients",
		Shows:   []Measure{tailOf("p50", ""), tailOf("p90", ""), tailOf("p99", ""), tailOf("p99.9", ""), tailOf("p99.99", ""), throughput},
		Claims:  bonspielLowestTails(),
		Purpose: whyWhoCommits + " " + whyHalf,
	},
	bonspielRatio("bonspiel/fig12low", "low contention", 0.2, whyNear+" "+whyNearAlone),
	bonspielRatio("bonspiel/fig12high", "high contention", 0.8, whyVotesWait),
})

// bonspielLowestTails: at each percentile of figure 11 the latency is the least.
func bonspielLowestTails() (out []Claim) {
	for _, p := range []string{"p50", "p90", "p99", "p99.9", "p99.99"} {
		out = append(out, claim(tailOf(p, ""), "bonspiel", bonspielOthers, AtWorst, Below, 0))
	}
	return out
}

// bonspielOverall is a half of figure 8.
func bonspielOverall(name, contention string, warehouses int) *Figure {
	return &Figure{
		Name: name, Title: "TPC-C, " + contention + ", more and more clients",
		Source:    "Bonspiel, section 4.1.1, figure 8",
		Protocols: bonspielRivals, Axis: bonspielClients, Base: bonspielTPCC(warehouses), Costs: bonspielCosts,
		Shows: []Measure{tailOf("p99.9", ""), tailOf("mean", ""), latency, median, throughput, neverEnded},
		Claims: []Claim{
			claim(tailOf("p99.9", ""), "bonspiel", bonspielOthers, AtBest, Lower, 1.8).upTo(2.2),
			claim(tailOf("p99.9", ""), "bonspiel", bonspielOthers, AtWorst, Lower, 1.8).upTo(2.2),
			claim(tailOf("mean", ""), "bonspiel", bonspielOthers, AtWorst, Below, 0),
			claim(latency, "bonspiel", bonspielOthers, AtWorst, Below, 0),
			claim(median, "bonspiel", bonspielOthers, AtWorst, Lower, 1),
			claim(throughput, "bonspiel", bonspielOthers, AtWorst, Ahead, 0),
		},
		Purpose: whyWhoCommits + " " + reasonReserved,
	}
}

// Why Bonspiel's mean, median and tail differ from the paper's.
const (
	whyWhoCommits = `In a closed loop the clients are the throughput times the mean of all transactions, but the mean
and the median of commits are lower where some transactions starve. Of 240 clients at least 155 of r4's, and 94 of gpac's, are in
a transaction of several regions that starves when the time ends, and the others meet fewer conflicts; spanner gives
up two in three of these at high contention, after a hundred tries in less than two seconds. Under bonspiel all but a
thousandth of them commit after three tries at most, and those of a single region wait for them.`
	whyGivenUp = `A transaction is given up after a hundred aborts, which takes no-wait less than two seconds and wait-die
less than six: a half and a quarter of all transactions at two warehouses, and a transaction that is given up lengthens no tail. Of
those that give up little gdcc has the shortest tail at two warehouses, and wound-wait at twelve.`
	whyHalf        = `So the half that ends first ends sooner under the others, and from the slowest tenth on Bonspiel is first.`
	reasonReserved = `The slowest under bonspiel are of a single region: at their validation a reservation is on
the row of their warehouse, or their reads have changed, some fifty times in a row.`
)

// bonspielRatio is a half of figure 12.
func bonspielRatio(name, contention string, zipf float64, reason string) *Figure {
	f := &Figure{
		Name: name, Title: "YCSB-A, " + contention + ", more and more transactions of several regions",
		Source:    "Bonspiel, section 4.1.3, figure 12",
		Protocols: bonspielRivals, Axis: bonspielElsewhere, Base: bonspielYCSB(zipf, 0), Costs: bonspielCosts,
		Shows: []Measure{tailOf("p99.9", ""), tailOf("mean", ""), latency, throughput, abortRate},
		Claims: []Claim{
			claim(tailOf("p99.9", ""), "bonspiel", bonspielOthers, AtWorst, Below, 0),
			claim(tailOf("mean", ""), "bonspiel", bonspielOthers, AtWorst, Below, 0),
			claim(latency, "bonspiel", bonspielOthers, AtWorst, Below, 0),
			claim(throughput, "bonspiel", bonspielOthers, AtWorst, Ahead, 0),
		},
		Purpose: reason,
	}
	f.Base.Clients, f.Base.Duration = 160, 20*time.Second
	return f
}

// whyVotesWait is why figure 12 differs at its end, where most transactions are of several regions.
const whyVotesWait = `Where rows are hot and most transactions are of several regions, votes that wait for locks and for
reservations, as in the paper, wait for each other over two shards until they time out or are aborted. The public prototype
aborts a vote that conflicts with a lock. Figure 12votes has the same load under both, and with votes that wait by age: 184 a second
at half and 103 at all of several regions, where bonspiel has 64 and 29, r4 143 and 103. Without any of several regions
there are no reservations, and bonspiel's slowest are those of r4.`

// bonspielVotes show the effect of the rule for votes that conflict with a lock on figures 8 and
// 12: the paper makes them wait, its public prototype aborts them.
var bonspielVotes = []*Figure{
	votesOf(bonspielOverall("bonspiel/fig8votes", "high contention", highContention)),
	votesOf(bonspielRatio("bonspiel/fig12votes", "high contention", 0.8, "")),
}

// votesOf is a figure over the rules for votes, with our expectations.
func votesOf(f *Figure) *Figure {
	const few = "one or two in ten are of several regions, and few of these meet: the two rules differ by chance"
	f.Title, f.Source = f.Title+": what votes do that meet a lock", f.Source+", and the public prototype's rule"
	f.Protocols, f.Purpose = []string{"bonspiel", "bonspiel+wait-die", "bonspiel+no-wait", "r4"}, ""
	f.Claims = []Claim{
		claim(throughput, "bonspiel+wait-die", "bonspiel", AtWorst, Ahead, 0).because(few),
		claim(tailOf("p99.9", ""), "bonspiel+wait-die", "bonspiel", AtWorst, Below, 0).because(few),
		claim(tailOf("p99.9", ""), "bonspiel+no-wait", "bonspiel", AtWorst, Below, 0).because("most are of a single region: an aborted one is retried immediately, and aborted again"),
	}
	return f
}

// bonspielParts are those of section 4.2, and table 5.
var bonspielParts = with(bonspielSetting, []*Figure{
	{
		Name: "bonspiel/fig13", Title: "TPC-C: Bonspiel without its concurrency control, without its reads, and without both",
		Source:    "Bonspiel, section 4.2, figure 13, with the most clients",
		Protocols: []string{"bonspiel", "r4+gdcc", "r4+gams", "r4"},
		Shows:     []Measure{tailOf("p99.9", ""), latency, latency.of("SR"), latency.of("MR"), throughput},
		Claims: []Claim{
			claim(tailOf("p99.9", ""), "r4+gdcc", "r4", AtWorst, Below, 0),
			claim(tailOf("p99.9", ""), "r4+gams", "r4", AtWorst, Below, 0),
			claim(tailOf("p99.9", ""), "bonspiel", "r4+gdcc|r4+gams", AtWorst, Below, 0),
			claim(latency, "r4+gdcc", "r4", AtTheEnd, Below, 0),
			claim(latency, "r4+gdcc", "r4", AtTheStart, Level, 0),
		},
		Purpose: whyParts,
	},
	{
		Name: "bonspiel/table5", Title: "TPC-C: who is aborted, wounded or has to wait, by concurrency control",
		Source:    "Bonspiel, section 3.1, table 5: what its ticks and crosses should make of these measures",
		Protocols: []string{"r4+gdcc", "r4+polaris", "r4+wait-die", "r4+wound-wait", "r4+no-wait"},
		Shows:     []Measure{abortRate.of("MR"), woundRate.of("SR"), lockWait99.of("MR"), abortRate.of("SR"), tailOf("p99.9", "MR"), throughput},
		Claims: []Claim{
			claim(abortRate.of("MR"), "r4+gdcc", "r4+no-wait", AtWorst, Below, 0),
			claim(abortRate.of("MR"), "r4+polaris", "r4+no-wait", AtWorst, Below, 0),
			claim(woundRate.of("SR"), "r4+gdcc", "r4+wound-wait", AtWorst, Below, 0),
			claim(lockWait99.of("MR"), "r4+gdcc", "r4+polaris|r4+wait-die", AtWorst, Below, 0),
			claim(tailOf("p99.9", ""), "r4+gdcc", "r4+polaris|r4+wait-die|r4+wound-wait|r4+no-wait", AtWorst, Below, 0),
		},
		Purpose: whyGivenUp,
	},
	{
		Name: "bonspiel/table5sundial", Title: "TPC-C: who is aborted, wounded or has to wait, with leases",
		Source:    "Bonspiel, section 3.1, table 5, its first line: Sundial, beside no-wait",
		Protocols: []string{"r4+gdcc", "r4+sundial", "r4+no-wait"},
		Shows:     []Measure{abortRate.of("MR"), woundRate.of("SR"), lockWait99.of("MR"), abortRate.of("SR"), tailOf("p99.9", "MR"), throughput},
		Claims: []Claim{
			claim(abortRate.of("MR"), "r4+gdcc", "r4+sundial", AtWorst, Below, 0),
			claim(tailOf("p99.9", ""), "r4+gdcc", "r4+sundial|r4+no-wait", AtWorst, Below, 0),
		},
		Purpose: whyGivenUpLeases,
	},
})

// whyParts is why figure 13 has a mean of r4 that is below Bonspiel's.
const whyParts = `The mean is of commits. Under r4 six and one in a hundred tries of several regions do, so that
two in three of its clients are caught in those when the time ends, and the others use the rows of their region nearly
alone: of a single region its mean is about half of Bonspiel's. Its throughput is the least all the same. At two
warehouses r4+gdcc has the shorter tail because it gives up more after a hundred tries, 15 % of all where Bonspiel gives up 2 %.`

// whyGivenUpLeases is why no-wait has the shortest tail in table5sundial.
const whyGivenUpLeases = `A transaction that is aborted immediately is tried a hundred times within a second or two, and then given up: with two
warehouses a shard half of no-wait's transactions end so, 31 % of sundial's and 15 % of gdcc's, and count for as long as
they took. Of several regions gdcc's slowest take 2.6 s, sundial's 8.1 s.`

// bonspielPlaces has three shards on two replicas each (3P2R), whose numbers are in the paper's
// technical report: each region leads one shard and follows the next.
var bonspielPlaces = with(bonspielSetting, []*Figure{
	{
		Name: "bonspiel/3p2r", Title: "TPC-C over three shards on two replicas each, 100 ms apart",
		Source: "Bonspiel, section 4.3, whose technical report has it: lowest tails, and throughput at the top",
		Base:   bonspielThree(),
		Shows:  []Measure{tailOf("p99.9", ""), latency, throughput, abortRate.of("MR")},
		Claims: []Claim{
			claim(tailOf("p99.9", ""), "bonspiel", bonspielOthers, AtWorst, Below, 0),
			claim(latency, "bonspiel", bonspielOthers, AtWorst, Lower, 1),
			claim(throughput, "bonspiel", bonspielOthers, AtWorst, Ahead, 0),
		},
		Purpose: whyCaught,
	},
})

// whyCaught is why with three shards on two replicas some protocols have a shorter mean, and tapir
// more commits.
const whyCaught = `As in figure 8 the mean is of commits, and where transactions of several regions starve the clients
caught in them leave the rows to the others: when the time ends 70 of tapir's 144 clients are in one, and none of
Bonspiel's. So at two warehouses tapir commits more of a single region, 110 a second beside 91, and fewer of several, 8.9
beside 9.9, whose slowest starve; at twelve it commits as much as Bonspiel.`

func bonspielThree() lab.Experiment {
	s := bonspielTPCC(highContention)
	s.WAN, s.Shards, s.Replicas, s.Clients = "uniform:100ms:3", 3, 2, 144
	s.Holders = "r1,r3/r2,r1/r3,r2"
	return s
}

// bonspielFewClients are the least and the most.
func bonspielFewClients() Axis {
	a := bonspielClients
	a.Values = a.Quick
	return a
}
