package coverage

import (
	"regexp"
	"testing"
)

// Each rule has a name of its own, a package and a sentence.
func TestRulesAreNamed(t *testing.T) {
	names, says := map[string]bool{}, map[string]bool{}
	word := regexp.MustCompile(`^[a-z]+(-[a-z]+)*$`)
	for _, r := range All() {
		if !word.MatchString(r.Name()) || names[r.Name()] || r.Package() == "" || r.String() == "" || says[r.String()] {
			t.Errorf("rule %d is %q of %q: %q", r, r.Name(), r.Package(), r)
		}
		names[r.Name()], says[r.String()] = true, true
	}
}

// Each rule has its own count; a nil Counts counts nothing and allocates nothing.
func TestCounts(t *testing.T) {
	c := new(Counts)
	c.Hit(LeaderStickiness)
	c.HitIf(true, LeaderStickiness)
	c.HitIf(false, LeaderStickiness)
	c.Hit(SuffixCut)
	if c.Times(LeaderStickiness) != 2 || c.Times(SuffixCut) != 1 || c.Times(BlankVote) != 0 || !c.On() {
		t.Errorf("counted %+v", c)
	}
	var off *Counts
	if n := testing.AllocsPerRun(100, func() { off.Hit(LeaderStickiness) }); n != 0 || off.Times(LeaderStickiness) != 0 || off.On() {
		t.Errorf("a nil Counts allocates %v, and counts %d", n, off.Times(LeaderStickiness))
	}
}
