package figure

// txsqlEffects are those of section 6.2: what each step from MySQL to TXSQL brings.
var txsqlEffects = []*Figure{
	{
		Name: "txsql/fig6abcd", Title: "Payments on a hot account (FiT), more and more threads",
		Source: "TXSQL, section 6.2, figure 6 (a) to (d)",
		Rows:   txsqlAblation, Axis: txsqlThreads, Base: txsqlBase("fit"),
		Shows:  txsqlShows,
		Claims: txsqlOver(txsqlAblation, AtBest, 8.25),
	},
	{
		Name: "txsql/fig6e", Title: "Updates of one hot row, more and more threads",
		Source: "TXSQL, section 6.2, figure 6 (e)",
		Rows:   txsqlAblation, Axis: txsqlThreads, Base: statements(txsqlBase("hotspot"), 1, 0),
		Shows:  []Measure{throughput, tail, lockWait, cpuUse},
		Claims: txsqlOver(txsqlAblation, AtBest, 7.5),
	},
	{
		Name: "txsql/fig6f", Title: "Updates of ten neighbours among a hundred hot rows",
		Source: "TXSQL, section 6.2, figure 6 (f)",
		Rows:   txsqlAblation, Axis: txsqlThreads, Base: statements(txsqlBase("hotspot-scan"), 10, 0),
		Shows: []Measure{throughput, tail, abortRate},
		Claims: []Claim{
			{throughput, "txsql", "o1", AtTheEnd, Level, 0},
			{throughput, "o2", "o1", AtTheEnd, Level, 0},
			{throughput, "txsql", "mysql", AtBest, Times, 0},
		},
	},
	{
		Name: "txsql/fig6g", Title: "Updates of rows drawn evenly",
		Source: "TXSQL, section 6.2, figure 6 (g)",
		Rows:   txsqlAblation, Axis: txsqlThreads, Base: statements(uniform(txsqlBase("sysbench")), 14, 0),
		Shows:  []Measure{throughput, tail},
		Claims: txsqlNoWorse,
	},
	{
		Name: "txsql/fig6h", Title: "Reads of rows drawn evenly",
		Source: "TXSQL, section 6.2, figure 6 (h)",
		Rows:   txsqlAblation, Axis: txsqlThreads, Base: statements(uniform(txsqlBase("sysbench")), 14, 1),
		Shows:  []Measure{throughput, tail},
		Claims: txsqlNoWorse,
	},
	{
		Name: "txsql/fig7a", Title: "Twenty statements, of which one updates a hot row, 1024 threads",
		Source: "TXSQL, section 6.2.2, figure 7 (a)",
		Rows:   txsqlAblation, Axis: txsqlWrites, Base: threads(statements(longer(txsqlBase("hotspot-once")), 20, 0), 1024),
		Shows:  []Measure{throughput, tail},
		Claims: txsqlOver(txsqlAblation, AtBest, 0),
	},
	{
		Name: "txsql/fig7b", Title: "Longer and longer transactions, one update of each on a hot row, 1024 threads",
		Source: "TXSQL, section 6.2.2, figure 7 (b)",
		Rows:   txsqlAblation, Axis: txsqlLength, Base: threads(longer(txsqlBase("hotspot-once")), 1024),
		Shows:  []Measure{throughput, tail},
		Claims: append(txsqlOver(txsqlAblation, AtTheStart, 0), txsqlOver(txsqlAblation, AtTheEnd, 0)...),
	},
	{
		Name: "txsql/fig7all", Title: "Longer and longer transactions, each update on one hot row, 1024 threads",
		Source: "TXSQL, section 6.2.2, figure 7 (b), read to the letter",
		Rows:   []string{"txsql", "o2", "mysql"}, Axis: txsqlLength, Base: threads(longer(txsqlBase("hotspot")), 1024),
		Shows:  []Measure{throughput, tail, abortRate},
		Claims: []Claim{{throughput, "txsql", "mysql", AtTheStart, Times, 0}, {throughput, "txsql", "mysql", AtTheEnd, Times, 0}},
	},
}

// txsqlNoWorse: where no row is hot, looking for hot rows costs less than 2 %.
var txsqlNoWorse = []Claim{
	{throughput, "txsql", "o1", AtTheEnd, Level, 0},
	{throughput, "o2", "o1", AtTheEnd, Level, 0},
	{throughput, "txsql", "mysql", AtTheEnd, Times, 0},
}

// txsqlComparison are those of section 6.3: TXSQL beside others.
var txsqlComparison = []*Figure{
	{
		Name: "txsql/fig8", Title: "Updates of one hot row, more and more threads",
		Source: "TXSQL, section 6.3.1, figure 8",
		Rows:   txsqlRivals, Axis: txsqlThreads, Base: statements(txsqlBase("hotspot"), 1, 0),
		Shows:  []Measure{throughput, tail, abortRate},
		Claims: append(txsqlOver(txsqlRivals, AtBest, 7), txsqlBestRival),
	},
	{
		Name: "txsql/fig9sync", Title: "Payments on a hot account (FiT), synchronous replication",
		Source: "TXSQL, section 6.3.2, figure 9",
		Rows:   txsqlRivals, Axis: txsqlThreads, Base: synchronous(txsqlBase("fit")),
		Shows:  []Measure{throughput, tail, abortRate},
		Claims: append(txsqlOver(txsqlRivals, AtBest, 22.3), txsqlBestRival),
	},
	{
		Name: "txsql/fig9async", Title: "Payments on a hot account (FiT), asynchronous replication",
		Source: "TXSQL, section 6.3.2, figure 9",
		Rows:   txsqlRivals, Axis: txsqlThreads, Base: txsqlBase("fit"),
		Shows:  []Measure{throughput, tail, abortRate},
		Claims: append(txsqlOver(txsqlRivals, AtBest, 8.2), txsqlBestRival),
	},
	{
		Name: "txsql/fig10rollback", Title: "Transactions that update a hot row and are rolled back at their end, 128 threads",
		Source: "TXSQL, section 6.3.3, figure 10 (left)",
		Rows:   []string{"txsql", "bamboo", "mysql"}, Axis: txsqlRollbacks, Base: threads(statements(longer(txsqlBase("hotspot-once")), 16, 0.5), 128),
		Shows:  []Measure{throughput, tail, abortRate},
		Claims: []Claim{{throughput, "txsql", "bamboo", AtBest, Times, 0}, {throughput, "txsql", "bamboo", AtTheEnd, Times, 0}},
	},
	{
		Name: "txsql/fig10skew", Title: "Updates of single rows, more and more skewed, 1024 threads",
		Source: "TXSQL, section 6.3.4, figure 10 (right)",
		Rows:   txsqlRivals, Axis: txsqlZipf, Base: fewRows(threads(statements(txsqlBase("sysbench"), 1, 0), 1024)),
		Shows: []Measure{throughput, tail, abortRate},
		Claims: []Claim{
			{throughput, "txsql", "mysql", AtTheStart, Times, 1.6},
			{throughput, "txsql", "mysql", AtTheEnd, Times, 3.9},
		},
	},
}

// txsqlBestRival: the paper has 6.5 times the best of the methods it compares with,
// and does not say where.
var txsqlBestRival = Claim{throughput, "txsql", "bamboo|aria", AtBest, Times, 6.5}

// txsqlMore are those of section 6.4.
var txsqlMore = []*Figure{
	{
		Name: "txsql/fig12", Title: "TPC-C, more and more warehouses, 128 threads",
		Source: "TXSQL, section 6.4.2, figure 12",
		Rows:   txsqlRivals, Axis: txsqlWarehouses, Base: threads(txsqlBase("tpcc"), 128),
		Shows:  []Measure{throughput, latency.of("payment"), abortRate},
		Claims: txsqlOver(txsqlRivals, AtTheStart, 0),
	},
}
