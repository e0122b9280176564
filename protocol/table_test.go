package protocol

import (
	"strings"
	"testing"

	"isochron/decide"
	"isochron/reveal"
	"isochron/schedule"
	"isochron/txn"
	"isochron/yield"
)

func TestTheTable(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range Table() {
		seen[r.Name] = true
		if back, err := ByName(r.Name); err != nil || back != r {
			t.Errorf("%s is not found by its name: %v", r.Name, err)
		}
		if r.Steps(txn.Class{})[0] != Validate {
			t.Errorf("%s reveals or logs before it validates", r.Name)
		}
	}
	if !seen[Default] {
		t.Errorf("the default row %q is not in the table", Default)
	}
}

func TestAnUnknownNameErrorListsTheKnown(t *testing.T) {
	_, err := ByName("3pc")
	if err == nil || !strings.Contains(err.Error(), "2pc+occ") {
		t.Errorf("the error does not help: %v", err)
	}
}

// A choice that a literal omits is its base's, over any number of bases.
func TestAProtocolExtendsItsBase(t *testing.T) {
	a := Table()[0]
	specs, err := resolve([]Spec{
		{Name: "c", Base: "b", Reads: ReadLeader, Source: "test"},
		{Name: "b", Base: a.Name, Yield: yield.Validate, Source: "test"},
		a,
	})
	if err != nil {
		t.Fatal(err)
	}
	want := a
	want.Name, want.Base, want.Reads, want.Yield, want.Source = "c", "b", ReadLeader, yield.Validate, "test"
	if specs[0] != want {
		t.Errorf("got %+v\nwant %+v", specs[0], want)
	}
}

// Mistakes in the literals are reported, and resolve terminates.
func TestBadLiterals(t *testing.T) {
	a := Table()[0]
	for words, specs := range map[string][]Spec{
		"in the table twice":   {a, a},
		"no name":              {{Source: "test"}},
		"has no Source":        {a, {Name: "b", Base: a.Name}},
		"which does not exist": {{Name: "b", Base: "c", Source: "test"}},
		"or forms a cycle":     {{Name: "b", Base: "c", Source: "test"}, {Name: "c", Base: "b", Source: "test"}},
	} {
		if _, err := resolve(specs); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%s: %v", words, err)
		}
	}
}

// Each rule refuses something that no rule above it refuses.
func TestCheckRefusesBadCombinations(t *testing.T) {
	rowOf := func(name string) Spec {
		r, err := ByName(name)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	cases := []struct {
		from   string
		change func(*Spec)
		words  string
	}{
		{"2pc+2pl", func(r *Spec) { r.Arrive = schedule.Unset }, "a column is empty"},
		{"2pc+2pl", func(r *Spec) { r.Decide = decide.FastQuorum }, "votes of replicas"},
		{"tapir", func(r *Spec) { r.Replicates = ByLog }, "no log can order"},
		{"2pc+occ", func(r *Spec) { r.Replicates = Unordered }, "recovered from the log"},
		{"tapir", func(r *Spec) { r.Yield = yield.WoundWait }, "needs one holder"},
		{"tapir", func(r *Spec) { r.Reads = ReadHome }, "reads at home lock at the leader"},
		{"tapir", func(r *Spec) { r.Reads = ReadNearest }, "no log whose leader"},
		{"tapir", func(r *Spec) { r.RetryReads = RetryReadsAtLeader }, "without a log there is none"},
		{"tapir", func(r *Spec) { r.Reveal = reveal.OnAppend }, "recovered from the log, and"},
		{"tapir", func(r *Spec) { r.ReadOnly = ByLease }, "no leader with a lease"},
		{"tapir", func(r *Spec) { r.RunsOn = InClusters }, "members cannot change"},
		{"2pc+occ", func(r *Spec) { r.Yield = yield.EachValidates }, "FOR UPDATE must"},
		{"2pc+occ", func(r *Spec) { r.Yield.ByTimestamp = true }, "validate by timestamp"},
		{"tapir", func(r *Spec) { r.Isolation = StrictSerializability }, "contradict real time"},
		{"r4+sundial", func(r *Spec) { r.Reads = ReadNearest }, "granted by leaders"},
		{"r4+sundial", func(r *Spec) { r.RunsOn = InClusters }, "begins with a commit"},
		{"2pc+occ", func(r *Spec) { r.Reads = ReadHome }, "locks no reads"},
		{"2pc+2pl", func(r *Spec) { r.Reads = ReadByTemperature }, "some reads of a round"},
		{"2pc+2pl", func(r *Spec) { r.Reveal = reveal.OnPreCommit }, "none are sent"},
		{"r4", func(r *Spec) { r.Reveal = reveal.OnValidation }, "for reserving reads"},
		{"2pc+2pl", func(r *Spec) { r.Yield.Reserves = yield.ReservesConditionally }, "reads that take no locks"},
		{"d2pc+2pl", func(r *Spec) { r.Reveal = reveal.OnDecision }, "not built"},
		{"r4", func(r *Spec) { r.Reveal = reveal.OnAppend }, "decide without them"},
		{"aria", func(r *Spec) { r.Decide = decide.LoggedDecision }, "follow from votes"},
		{"2pc+occ", func(r *Spec) { r.Decide = decide.AtLeader }, "the votes go elsewhere"},
		{"2pc+2pl", func(r *Spec) { r.Prepares = decide.Decentralized }, "or unasked"},
		{"ssp-parallel", func(r *Spec) { r.Prepares = decide.PrepareThenValidate }, "asked twice"},
		{"2pc+2pl", func(r *Spec) { r.Prepares = decide.NoPrepare }, "give no atomicity"},
		{"aria", func(r *Spec) { r.Reveal = reveal.OnDecision }, "validated as a whole"},
		{"2pc+occ", func(r *Spec) { r.Yield.Hot = yield.HotGroup }, "without locks there are none"},
		{"carousel-basic", func(r *Spec) { r.Arrive = schedule.AtArrivalTime }, "order of arrival times"},
		{"2pc+occ", func(r *Spec) { r.Arrive = schedule.Postponed }, "forecasts are of lock waits"},
		{"2pc+2pl", func(r *Spec) { r.Reveal = reveal.OnHotAppend }, "no groups"},
	}
	if len(cases) != len(rules) {
		t.Errorf("there are %d rules, and %d are tried", len(rules), len(cases))
	}
	for _, c := range cases {
		r := rowOf(c.from)
		c.change(&r)
		if err := r.Check(); err == nil || !strings.Contains(err.Error(), c.words) || !strings.Contains(err.Error(), r.Name) {
			t.Errorf("%s, changed so that %q: %v", c.from, c.words, err)
		}
	}
}

func TestDiff(t *testing.T) {
	a, _ := ByName("2pc+2pl")
	b, _ := ByName("d2pc+occ")
	got := Diff(a, b)
	if len(got) != 4 || !strings.Contains(got[1], `"2pl wound-wait" under 2pc+2pl, "occ" under d2pc+occ`) || len(Diff(a, a)) != 0 {
		t.Errorf("got %q", got)
	}
	c, _ := ByName("2pc+2pl-home")
	if len(Diff(a, c)) != 1 {
		t.Errorf("got %q", Diff(a, c))
	}
}
