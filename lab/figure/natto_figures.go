package figure

// nattoFigures are those of the Natto paper, section 5, as far as their settings can be had here.
var nattoFigures = []*Figure{
	{
		Name: "natto/fig7ycsb", Title: "YCSB+T, more and more transactions",
		Source: "Natto, section 5.2.1, figure 7 (a) and (b)",
		Rows:   nattoRows, Axis: nattoRate, Base: nattoBase(),
		Shows: nattoShows,
		Claims: []Claim{
			says(highTail, "natto-ts", "natto-2pl", AtTheStart, Change, 100*(372.0/715-1)),
			says(highTail, "natto-recsf", "natto-ts", AtTheEnd, Change, 100*(469.0/656-1)),
			says(highTail, "natto-lecsf", "natto-ts", AtTheEnd, Change, -100*147.0/656),
			says(highTail, "natto-pa", "natto-lecsf", AtTheEnd, Change, -100*40.0/509),
			says(highTail, "natto-ts", "natto-2pl|natto-2pl-p|natto-2pl-pow", AtTheEnd, Below, 0),
			says(highTail, "natto-ts", "carousel-basic", AtTheEnd, Change, 100*(656.0/5000-1)),
			says(highTail, "natto-ts", "tapir", AtTheEnd, Change, 100*(656.0/5000-1)),
			says(lowTail, "natto-ts", "carousel-basic", AtTheEnd, Below, 0),
		},
	},
	{
		Name: "natto/fig7retwis", Title: "Retwis, more and more transactions",
		Source: "Natto, section 5.2.2, figure 7 (c) and (d)",
		Rows:   nattoRivals, Axis: nattoRetwisRate, Base: nattoWith("retwis", 1000),
		Shows: nattoShows,
		Claims: []Claim{
			says(highTail, "natto-recsf", "natto-2pl-p", AtTheEnd, Change, 100*(432.0/1922-1)),
			says(highTail, "natto-recsf", "tapir", AtTheEnd, Change, 100*(432.0/4393-1)),
			says(highTail, "natto-recsf", "carousel-basic|carousel-fast|natto-2pl", AtTheEnd, Below, 0),
		},
	},
	{
		Name: "natto/fig8ycsb", Title: "YCSB+T, 50 transactions a second, more and more contention",
		Source: "Natto, section 5.3.1, figure 8 (a)",
		Rows:   nattoRows, Axis: nattoSkew, Base: nattoWith("ycsb+t", 50),
		Shows: nattoShows,
		Claims: []Claim{
			says(highTail, "natto-ts", "natto-ts", Across, Ahead, 0),
			says(highTail, "natto-lecsf", "natto-ts", AtTheEnd, Change, -100*136.0/903),
			says(highTail, "natto-pa", "natto-lecsf", AtTheEnd, Below, 0),
			says(highTail, "natto-cp", "natto-pa", AtTheEnd, Below, 0),
			says(highTail, "natto-recsf", "natto-cp", AtTheEnd, Below, 0),
		},
	},
	{
		Name: "natto/fig8retwis", Title: "Retwis, 100 transactions a second, more and more contention",
		Source: "Natto, section 5.3.2, figure 8 (b)",
		Rows:   nattoRivals, Axis: nattoSkew, Base: nattoWith("retwis", 100),
		Shows: nattoShows,
		Claims: []Claim{
			says(highTail, "natto-recsf", "natto-ts", AtTheEnd, Below, 0),
			says(highTail, "natto-recsf", "tapir", AtTheEnd, Change, 100*(0.1-1)),
			says(highTail, "natto-recsf", "carousel-basic", AtTheEnd, Change, 100*(0.1-1)),
			says(highTail, "natto-recsf", "natto-2pl", AtTheEnd, Change, 100*(0.1-1)),
		},
	},
	{
		Name: "natto/fig9", Title: "YCSB+T, more and more transactions of high priority",
		Source: "Natto, section 5.4, figure 9",
		Rows:   natto2PL, Axis: nattoHigh, Base: nattoBase(),
		Shows: nattoShows,
		Claims: []Claim{
			says(highTail, "natto-2pl", "natto-2pl", Across, Level, 0),
			says(highTail, "natto-recsf", "natto-2pl", AtTheStart, Change, 100*(600.0/3700-1)),
			says(highTail, "natto-2pl-p", "natto-2pl", AtTheStart, Change, 100*(1778.0/3700-1)),
			says(highTail, "natto-2pl-pow", "natto-2pl", AtTheStart, Change, 100*(1951.0/3700-1)),
			says(highTail, "natto-2pl-p", "natto-2pl", AtTheEnd, Level, 0),
			says(highTail, "natto-recsf", "natto-2pl", AtTheEnd, Ahead, 0),
		},
	},
	{
		Name: "natto/fig11", Title: "YCSB+T, delays that vary more and more",
		Source: "Natto, section 5.5, figure 11: Pareto, a mean as on the map",
		Rows:   nattoRivals, Axis: nattoJitter, Base: nattoBase(),
		Shows: nattoShows,
		Claims: []Claim{
			says(highTail, "natto-ts", "natto-ts", Across, Ahead, 0),
			says(highTail, "natto-recsf", "carousel-basic|carousel-fast|tapir|natto-2pl", AtTheEnd, Below, 0),
		},
	},
}
