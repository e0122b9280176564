package figure

import (
	"slices"
	"strings"

	"isochron/lab"
)

// figures are all, in the order of listings.
var figures = slices.Concat(d2pcRetwis, d2pcElsewhere, d2pcSensitivity, geotpFigures, bonspielFigures, bonspielReads, nattoFigures, inBestForm(txsqlEffects, txsqlComparison, txsqlMore, txsqlOurs))

// d2pcRetwis are those of section 5.2.
var d2pcRetwis = with(Figure{Base: d2pcBase(), Shows: allMeasures}, []*Figure{
	{
		Name: "d2pc/fig5", Title: "Retwis under locking, more and more clients",
		Source:    "D2PC (PVLDB 17(10), 2024), section 5.2, figure 5",
		Protocols: d2pcFourAndLeader, Pairs: true, Axis: d2pcClients, Base: d2pcLocking(),
		Shows: []Measure{throughput, latency, lockingTime},
		Claims: slices.Concat(
			nroBeside("d2pc+2pl-nro", "2pc+2pl-nro"), nearBeside("2pc+2pl"),
			nroBeside("d2pc+2pl-nro", "2pc+2pl-nro-through-leader"), nearBeside("2pc+2pl-through-leader"),
			[]Claim{
				claim(retwisWriting, "d2pc+2pl-nro", "2pc+2pl-nro", AtTheEnd, Change, 0),
				claim(retwisWriting, "d2pc+2pl", "2pc+2pl", AtTheEnd, Change, 0),
			}),
		Purpose: whyLoop + " " + whyReads,
	},
	{
		Name: "d2pc/fig6", Title: "Retwis under locking, more and more contention",
		Source:    "D2PC (PVLDB 17(10), 2024), section 5.2, figure 6",
		Protocols: d2pcFour, Pairs: true, Axis: d2pcZipf, Base: d2pcLocking(),
		Shows: []Measure{throughput, latency, lockingTime},
		Claims: []Claim{
			claim(throughput, "d2pc+2pl", "2pc+2pl", AtBest, Times, 3.06).because(seeLoop),
			claim(throughput, "d2pc+2pl-nro", "2pc+2pl-nro", AtBest, Times, 1.8).because(seeReads),
		},
		Purpose: whyLoop + " " + whyReads + " " + whyRising,
	},
	{
		Name: "d2pc/fig7", Title: "Retwis under validation, more and more clients",
		Source:    "D2PC (PVLDB 17(10), 2024), section 5.2, figure 7",
		Protocols: d2pcOCCAndLeader, Axis: d2pcFewClients,
		Claims: slices.Concat(d2pcBeside("2pc+occ"), d2pcBeside("2pc+occ-through-leader"),
			[]Claim{claim(retwisWriting, "d2pc+occ", "2pc+occ", AtTheEnd, Change, 0)}, d2pcLowLoad()),
		Purpose: whyLoop,
	},
	{
		Name: "d2pc/fig8", Title: "Retwis under validation, more and more contention",
		Source:    "D2PC (PVLDB 17(10), 2024), section 5.2, figure 8",
		Protocols: d2pcOCCAndLeader, Axis: d2pcFewZipf,
		Claims: append(because(seeStale, d2pcOver(throughput, AtTheEnd, 2.35, 1.41, 3.1, 2.79, 2.35)...), d2pcAhead(AtWorst),
			d2pcBelow(abortRate, AtTheEnd).because(seeStale), d2pcBelow(lockingTime, AtWorst)),
		Purpose: whyStale,
	},
	{
		Name: "d2pc/coordinator", Title: "Retwis under validation: the place of 2PC's coordinator",
		Source:    "ours; D2PC (PVLDB 17(10), 2024), section 2.2, places it at a participant's leader",
		Protocols: d2pcCoordinators, Axis: d2pcTwoClients,
		Claims:  d2pcBeside("2pc+occ-at-leader"),
		Purpose: whyLoop,
	},
	{
		Name: "d2pc/reads", Title: "Retwis under locking at leaders: rows read one after the other, and in one round",
		Source:    "ours; D2PC (PVLDB 17(10), 2024), figure 5, does not specify it: its prototype reads them one after the other",
		Protocols: []string{nroOneByOne, "2pc+2pl-nro, one by one", nroAtOnce, "2pc+2pl-nro, at once"}, Pairs: true, Axis: d2pcTwoClients,
		Variants: map[string]Variant{
			nroOneByOne: {"d2pc+2pl-nro", oneByOne}, "2pc+2pl-nro, one by one": {"2pc+2pl-nro", oneByOne},
			nroAtOnce: {Protocol: "d2pc+2pl-nro"}, "2pc+2pl-nro, at once": {Protocol: "2pc+2pl-nro"},
		},
		Shows:   []Measure{throughput, latency, lockingTime},
		Claims:  append(nroBeside(nroOneByOne, "2pc+2pl-nro, one by one"), nroBeside(nroAtOnce, "2pc+2pl-nro, at once")...),
		Purpose: whyReads,
	},
	{
		Name: "d2pc/aborts", Title: "Causes of aborts under contention: Retwis at Zipf 0.9, and TPC-C",
		Source:    "ours; D2PC (PVLDB 17(10), 2024), section 4.6, has reads near, checked when they are prepared",
		Protocols: d2pcAborting, Axis: d2pcTwoClients,
		Variants: aborting(d2pcAborting),
		Shows:    []Measure{staleRate, conflictRate, throughput},
		Claims:   d2pcConflicts(),
	},
	{
		Name: "d2pc/clients", Title: "Clients' behaviour after an abort, by contention",
		Source:    "no figure of the paper, which does not specify it: see lab.Manner",
		Protocols: d2pcManners, Axis: d2pcFewZipf,
		Variants: mannered(d2pcManners),
		Claims: []Claim{
			claim(throughput, "d2pc+occ/drop", "2pc+occ/drop", AtTheEnd, Times, 0),
			claim(throughput, "d2pc+occ/hold5", "2pc+occ/hold5", AtTheEnd, Times, 0),
			claim(throughput, "d2pc+occ/forever", "2pc+occ/forever", AtTheEnd, Times, 0),
		},
	},
})

// d2pcElsewhere are those of sections 5.3 and 5.4: TPC-C, and other maps.
var d2pcElsewhere = with(Figure{Protocols: d2pcOCC, Base: d2pcTPCC(), Shows: allMeasures}, []*Figure{
	{
		Name: "d2pc/fig9", Title: "TPC-C, ten warehouses a shard, more and more clients",
		Source:  "D2PC (PVLDB 17(10), 2024), section 5.3, figure 9",
		Axis:    d2pcClients,
		Purpose: whyStale,
		Claims: append(because(seeStale, d2pcOver(throughput, AtPeak, 1/0.61, 1/0.82, 0, 0)...),
			claim(throughput, "tapir", "d2pc+occ", AtTheStart, Level, 0),
			claim(throughput, "starry", "d2pc+occ", AtTheStart, Level, 0)),
	},
	{
		Name: "d2pc/fig10", Title: "TPC-C, more and more warehouses",
		Source: "D2PC (PVLDB 17(10), 2024), section 5.3, figure 10",
		Axis:   d2pcWarehouses,
		Claims: append(d2pcOver(throughput, AtTheStart, 0, 0, 0, 0), d2pcAhead(AtWorst)),
	},
	{
		Name: "d2pc/fig11", Title: "Retwis over five regions of the world, five replicas",
		Source:    "D2PC (PVLDB 17(10), 2024), section 5.4, figure 11",
		Protocols: d2pcOCCAndLeader, Axis: d2pcWideClients, Base: d2pcFive(),
		Claims: append(because(seeRising, d2pcOver(throughput, AtPeak, 2.2, 1.29, 1.64, 1.57, 2.2)...),
			claim(abortRate, "d2pc+occ", "carousel-fast|tapir|starry", AtTheEnd, Below, 0).because(seeStale),
			claim(latency, "d2pc+occ", "carousel-fast|tapir|starry", AtTheEnd, Below, 0)),
		Purpose: whyRising300 + " " + whyLoop + " " + whyStale,
	},
	{
		Name: "d2pc/fig12", Title: "Retwis over three regions of one continent",
		Source: "D2PC (PVLDB 17(10), 2024), section 5.4, figure 12",
		Axis:   d2pcWideClients, Base: d2pcAsia(),
		Claims: append(d2pcOver(throughput, AtPeak, 0, 0, 0, 0), d2pcAhead(AtPeak)),
	},
})

// d2pcSensitivity are those of sections 5.5 and 5.6.
var d2pcSensitivity = with(Figure{Protocols: d2pcOCC, Base: d2pcMicro(), Shows: []Measure{throughput, abortRate}}, []*Figure{
	{
		Name: "d2pc/fig13ab", Title: "Longer and longer transactions",
		Source: "D2PC (PVLDB 17(10), 2024), section 5.5, figure 13 (a) and (b)",
		Axis:   d2pcLength,
		Claims: []Claim{d2pcAhead(AtWorst)},
	},
	{
		Name: "d2pc/fig13cd", Title: "More and more shards",
		Source: "D2PC (PVLDB 17(10), 2024), section 5.5, figure 13 (c) and (d)",
		Axis:   d2pcShards,
		Claims: append(across(d2pcOCC, throughput, Level), because(seeKeys, across(d2pcOCC, abortRate, Below)...)...),
	},
	{
		Name: "d2pc/fig14a", Title: "Dead co-coordinators",
		Source:    "D2PC (PVLDB 17(10), 2024), section 5.5, figure 14 (a)",
		Protocols: d2pcThree, Axis: d2pcDead, Base: d2pcBrief(),
		Shows: allMeasures,
		Claims: []Claim{
			claim(throughput, "d2pc+occ", "2pc+occ", AtTheStart, Times, 0),
			claim(throughput, "d2pc+occ", "carousel-fast", AtTheStart, Times, 0),
			claim(throughput, "d2pc+occ", "2pc+occ", AtTheEnd, Ahead, 0),
			claim(throughput, "carousel-fast", "d2pc+occ", AtTheEnd, Ahead, 0),
			claim(throughput, "d2pc+occ", "d2pc+occ", Across, Below, 0),
		},
	},
	{
		Name: "d2pc/fig14b", Title: "One and two co-coordinators a region, of one slow core each",
		Source:    "D2PC (PVLDB 17(10), 2024), section 5.5, figure 14 (b)",
		Protocols: []string{oneEach, twoEach}, Axis: d2pcManyClients, Base: d2pcSmall(),
		Variants: map[string]Variant{
			oneEach: {"d2pc+occ", func(s *lab.Experiment) { s.Coordinators = 1 }},
			twoEach: {"d2pc+occ", func(s *lab.Experiment) { s.Coordinators = 2 }},
		},
		Shows:  []Measure{throughput, latency, lockingTime},
		Claims: []Claim{claim(throughput, twoEach, oneEach, AtTheEnd, Ahead, 0)},
	},
	{
		Name: "d2pc/fig15", Title: "Contention spans by the regions of client and leader",
		Source:    "D2PC (PVLDB 17(10), 2024), section 5.6, table 4 and figure 15",
		Protocols: d2pcThree, Axis: d2pcPlaces, Base: d2pcMicro(), Alone: d2pcAlone(),
	},
})

// The lines of figure 14 (b).
const (
	oneEach = "d2pc+occ/one"
	twoEach = "d2pc+occ/two"
)

// The lines of d2pc/clients: a protocol of the table, and a lab.Manner.
var d2pcManners = []string{"d2pc+occ/drop", "2pc+occ/drop", "d2pc+occ/hold5", "2pc+occ/hold5", "d2pc+occ/forever", "2pc+occ/forever"}

// The lines of d2pc/aborts: a protocol of the table, and a workload.
var d2pcAborting = []string{"d2pc+occ, Retwis", "2pc+occ, Retwis", "carousel-fast, Retwis", "d2pc+occ, TPC-C", "2pc+occ, TPC-C", "carousel-fast, TPC-C"}

// aborting returns protocols under high contention.
func aborting(names []string) map[string]Variant {
	out := map[string]Variant{}
	for _, name := range names {
		row, workload, _ := strings.Cut(name, ", ")
		out[name] = Variant{row, func(s *lab.Experiment) {
			if s.Zipf = 0.9; workload == "TPC-C" {
				tpcc := d2pcTPCC()
				tpcc.Seed, tpcc.Protocol, tpcc.ReadOnly = s.Seed, s.Protocol, s.ReadOnly
				tpcc.CPU, tpcc.Fsync, tpcc.Duration, tpcc.Warmup = s.CPU, s.Fsync, min(s.Duration, tpcc.Duration), min(s.Warmup, tpcc.Warmup)
				*s = tpcc
			}
		}}
	}
	return out
}

// mannered returns protocols of the table with another manner of client.
func mannered(names []string) map[string]Variant {
	out := map[string]Variant{}
	for _, name := range names {
		row, manner, _ := strings.Cut(name, "/")
		out[name] = Variant{row, func(s *lab.Experiment) { s.Client = lab.Manner(manner) }}
	}
	return out
}
