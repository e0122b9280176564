package figure

import (
	"testing"
	"time"

	"isochron/lab"
	"isochron/reveal"
)

// specOf returns the experiment of a figure's protocol at the end of its axis.
func specOf(t *testing.T, figure, row string) lab.Experiment {
	t.Helper()
	f, err := ByName(figure)
	if err != nil {
		t.Fatal(err)
	}
	s, v := f.Base, f.variant(row)
	s.Protocol = v.Protocol
	v.Set(&s)
	f.Axis.Set(&s, f.Axis.Values[len(f.Axis.Values)-1])
	if err := s.Validate(); err != nil {
		t.Errorf("%s, %s: %v", figure, row, err)
	}
	return s
}

// The rivals of TXSQL are in their best form, the disk is the measured one, and locks cost as much
// as MariaDB's; each protocol by itself is in the ablation.
func TestRivalsInTheirBestForm(t *testing.T) {
	for _, name := range []string{"txsql/fig8", "txsql/fig9sync", "txsql/fig12", "txsql/replication"} {
		bamboo, aria, mysql := specOf(t, name, "bamboo"), specOf(t, name, "aria"), specOf(t, name, "mysql")
		if bamboo.Reveal != reveal.OnAppend || aria.Sequence != ariaBatch || aria.Tries < 1000 || !aria.AdmissionOff {
			t.Errorf("%s: %+v, %+v", name, bamboo, aria)
		}
		if mysql.Reveal != reveal.Unset || mysql.Fsync != lab.DiskSync || mysql.PageCPU != lab.PageCPU || mysql.StepCPU != lab.WalkCPU || mysql.ListCPU != lab.ListCPU {
			t.Errorf("%s: %+v", name, mysql)
		}
	}
	if s := specOf(t, "txsql/ablation", heldRetire); s.Protocol != "bamboo" || s.Reveal != reveal.OnDecision {
		t.Errorf("%+v", s)
	}
}

// Processor and disk are varied separately, and the disk's own cost is not a variation.
func TestCostsApart(t *testing.T) {
	hot, _ := ByName("txsql/fig8")
	wide, _ := ByName("d2pc/fig5")
	count := func(f *Figure) (n int) {
		for _, v := range variations {
			s := f.part(v, nil, Options{}).Experiment
			cpu, disk := s.CPU != f.Base.CPU, s.Fsync != f.Base.Fsync
			if cpu && disk {
				t.Errorf("%s: both are others", v.Name)
			}
			if cpu && 2*s.PageCPU != f.Base.PageCPU && s.PageCPU != 2*f.Base.PageCPU {
				t.Errorf("%s: %v for a page", v.Name, s.PageCPU)
			}
			if v.differs(f) && disk {
				n++
			}
		}
		return n
	}
	if a, b := count(hot), count(wide); a != 2 || b != 2 {
		t.Errorf("%d and %d other disks", a, b)
	}
}

// Neither reading uncommitted values nor releasing a row early gains much alone: a payment takes a
// while after its update, and each commit a sync.
func TestPartsOfGroupsAlone(t *testing.T) {
	rate := map[string]float64{}
	for _, row := range []string{held, freed, heldGroups, freedAll} {
		s := specOf(t, "txsql/ablation", row)
		s.Clients, s.Keys, s.Warmup, s.Duration = 128, 1000, 100*time.Millisecond, 200*time.Millisecond
		r, err := lab.Run(t.Context(), s, nil)
		if err != nil || !r.Check.Serializable {
			t.Fatalf("%s: %v %+v", row, err, r.Check)
		}
		rate[row] = r.ThroughputTPS
	}
	if rate[freedAll] < 2*max(rate[freed], rate[heldGroups]) || rate[freed] < 1.2*rate[held] || rate[heldGroups] < 1.2*rate[held] {
		t.Errorf("payments a second: %v", rate)
	}
}
