package source

import (
	"math"
	"testing"

	"isochron/txn"
)

// A name is parsed as it was written, and fits the sources' limits.
func TestNames(t *testing.T) {
	for _, n := range []Name{
		{},
		{Cluster: 1, Attempt: txn.Attempt{Node: 2, Epoch: 3, Seq: 4}, Source: 5, RecordShard: 1},
		{Cluster: math.MaxUint64, Attempt: txn.Attempt{Node: math.MaxUint32, Epoch: math.MaxUint32, Seq: math.MaxUint64}, Source: math.MaxUint64, RecordShard: math.MaxUint64},
	} {
		if len(n.Global()) > 64 || len(n.Qualifier()) > 64 {
			t.Errorf("%s is longer than XA allows", n)
		}
		if back, ok := ParseName(n.String()); !ok || back != n {
			t.Errorf("%s is parsed as %v, %v", n, back, ok)
		}
	}
}

// A foreign name is never parsed as one of ours.
func TestForeignNames(t *testing.T) {
	for _, s := range []string{
		"", "/", "isochron1", "isochron1.1.2.3.4", "isochron1.1.2.3.4/5", "isochron2.1.2.3.4/5.1", "isochron1.1.2.3.4/5.1.0", "isochron1.01.2.3.4/5.1",
		"isochron1.1.2.3.4/5.1 ", "isochron1.+1.2.3.4/5.1", "ISOCHRON1.1.2.3.4/5.1", "isochron1.1.2.3.A/5.1", "isochron1.1.2.3.4/5.1/", "isochron1.1.fffffffff.3.4/5.1", "isochron1.1.-2.3.4/5.1",
	} {
		if n, ok := ParseName(s); ok {
			t.Errorf("foreign name %q is parsed as %v", s, n)
		}
	}
}

func FuzzParseName(f *testing.F) {
	f.Add("isochron1.1.2.3.4/5.1")
	f.Fuzz(func(t *testing.T, s string) {
		if n, ok := ParseName(s); ok && n.String() != s {
			t.Errorf("%q is parsed as %q", s, n)
		}
	})
}
