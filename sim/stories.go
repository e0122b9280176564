package sim

import "isochron/protocol"

// storiesDir has the stories: scripts of TestScripts with their output.
const storiesDir = "sim/testdata/"

// stories are the stories that run under each protocol, in the order of their numbers. A test compares
// them with the files.
var stories = map[string][]string{
	"2pc+2pl":           {"2-locking-reads-take-one-round.txt", "3-the-older-transaction-wins.txt"},
	"2pc+2pl-logged":    {"19-the-decision-is-logged-first.txt"},
	"2pc+2pl-nro":       {"2-locking-reads-take-one-round.txt"},
	"2pc+2pl-postponed": {"21-requests-are-postponed-by-forecast.txt"},
	"2pc+2pl-together":  {"20-replies-arrive-together.txt"},
	"2pc+occ": {
		"1-2pc-votes-are-the-commit.txt",
		"3-the-older-transaction-wins.txt",
		"4-one-vote-is-the-commit.txt",
		"5-reads-log-nothing.txt",
		"6-logs-replace-a-lost-coordinator.txt",
		"7-a-fence-makes-an-abort-safe.txt",
		"8-a-follower-crash-costs-latency-only.txt",
		"12-reads-never-go-back-in-time.txt",
	},
	"carousel-basic": {"40-carousel-votes-while-it-reads.txt"},
	"carousel-fast":  {"13-replicas-validate-in-one-round-trip.txt"},
	"d2pc+2pl":       {"30-high-priority-wounds-low.txt"},
	"d2pc+2pl-group": {
		"16-hot-row-writers-overlap-over-shards.txt",
		"17-a-lost-gateway-frees-its-locks.txt",
		"18-a-deaf-leader-hands-over.txt",
	},
	"d2pc+occ": {
		"9-d2pc-reveals-before-the-decision.txt",
		"10-a-reader-depends-on-its-writer.txt",
		"11-a-cascade-aborts-the-reader.txt",
	},
	"geotp":         {"29-a-source-deadlock-ends-early.txt"},
	"geotp-o1o2":    {"22-sources-commit-in-one-round.txt"},
	"gpac":          {"25-gpac-takes-two-round-trips.txt"},
	"mysql":         {"15-a-deadlock-probe-aborts-one.txt"},
	"natto-2pl-p":   {"44-natto-2pl-preempts-low-priority.txt"},
	"natto-2pl-pow": {"44-natto-2pl-preempts-low-priority.txt"},
	"natto-cp":      {"45-natto-votes-assume-an-abort.txt"},
	"natto-lecsf":   {"42-natto-reads-before-the-log.txt"},
	"natto-pa":      {"43-natto-aborts-before-the-vote.txt"},
	"natto-recsf":   {"46-natto-coordinators-answer-reads.txt"},
	"natto-ts":      {"41-natto-votes-by-arrival-time.txt"},
	"r4":            {"23-r4-leaders-learn-the-decision.txt"},
	"r4+gams":       {"28-hot-rows-are-read-at-the-leader.txt"},
	"r4+gdcc":       {"26-reservations-protect-multi-region-reads.txt", "31-a-far-retry-locks-its-reads.txt"},
	"r4+sundial":    {"27-leases-let-readers-hold-nothing.txt"},
	"scalardb":      {"50-scalardb-takes-three-round-trips.txt"},
	"scalardb+":     {"50-scalardb-takes-three-round-trips.txt"},
	"spanner":       {"24-spanner-waits-for-every-log.txt"},
	"starry":        {"13-replicas-validate-in-one-round-trip.txt"},
	"tapir":         {"13-replicas-validate-in-one-round-trip.txt"},
	"txsql":         {"14-hot-row-writers-commit-as-a-group.txt", "15-a-deadlock-probe-aborts-one.txt"},
}

// Stories returns the stories of a protocol, as paths below the root of the repository, and the
// protocol that they run under: the nearest of its bases if it has none of its own.
func Stories(of protocol.Spec) (under string, paths []string) {
	for under = of.Name; len(stories[under]) == 0; {
		s, err := protocol.ByName(under)
		if err != nil || s.Base == "" {
			return under, nil
		}
		under = s.Base
	}
	for _, name := range stories[under] {
		paths = append(paths, storiesDir+name)
	}
	return under, paths
}
