package sqlload

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"

	"isochron/history"
)

func chance() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }

// The hottest of n keys is drawn 1/zeta of the time, the next 1/(zeta*2^theta).
func TestZipf(t *testing.T) {
	const n, draws = 1000, 200_000
	z, r := newZipf(n, 0.99), chance()
	count := make([]int, n)
	for range draws {
		count[z.draw(r)]++
	}
	for i, share := range []float64{1 / z.zeta, 0.5034 / z.zeta} {
		if got := float64(count[i]) / draws; got < share*0.95 || got > share*1.05 {
			t.Errorf("key %d is %.4f of all draws, want %.4f", i, got, share)
		}
	}
	if tail := count[n/2:]; slices.Max(tail) > count[0]/20 || slices.Max(tail) == 0 {
		t.Errorf("the far half is drawn up to %d times, the first key %d times", slices.Max(tail), count[0])
	}
	for _, few := range []uint64{1, 2, 3} {
		z := newZipf(few, 0.99)
		for range 1000 {
			if k := z.draw(r); k >= few {
				t.Fatalf("drew %d of %d keys", k, few)
			}
		}
	}
}

func TestScatter(t *testing.T) {
	seen := map[uint64]bool{}
	for i := range uint64(1000) {
		k := scatter(i, 1000)
		if k >= 1000 {
			t.Fatalf("%d goes to %d", i, k)
		}
		seen[k] = true
	}
	if len(seen) < 550 { // as many as chance would hit: 1 - 1/e of them
		t.Errorf("1000 keys go to %d places", len(seen))
	}
}

func TestNURand(t *testing.T) {
	r := chance()
	for _, c := range []struct{ a, x, y int }{{255, 0, 999}, {1023, 1, 3000}, {8191, 1, 100_000}, {8191, 1, 16}, {255, 0, 2}} {
		for range 10_000 {
			if n := nuRand(r, c.a, c.x, c.y, 123); n < c.x || n > c.y {
				t.Fatalf("NURand(%d, %d, %d) gave %d", c.a, c.x, c.y, n)
			}
		}
	}
}

func TestLastNames(t *testing.T) {
	for n, want := range map[int]string{0: "BARBARBAR", 371: "PRICALLYOUGHT", 999: "EINGEINGEING"} {
		if got := lastName(n); got != want {
			t.Errorf("%d is %s, want %s", n, got, want)
		}
	}
}

func TestCents(t *testing.T) {
	for text, want := range map[string]cents{"0": 0, "12.34": 1234, "-10.00": -1000, "7": 700, "0.5": 50, "-0.05": -5, "3.1400": 314, "1000000.00": 100_000_000} {
		var c cents
		if err := c.Scan([]byte(text)); err != nil || c != want {
			t.Errorf("%q is %d (%v), want %d", text, c, err, want)
		}
		var back cents
		if err := back.Scan(c.String()); err != nil || back != c {
			t.Errorf("%v is read back as %v (%v)", c, back, err)
		}
	}
	var c cents
	for _, text := range []string{"1.234", "x", "1,5", "1.2.3"} {
		if err := c.Scan([]byte(text)); err == nil {
			t.Errorf("%q was taken for %v", text, c)
		}
	}
}

func TestMixes(t *testing.T) {
	const n = 20_000
	small := newSmallbank(Options{Rows: 100_000, Hot: 100}).(*smallbank)
	w := newTPCC(Options{}).(*tpcc)
	for _, c := range []struct {
		client Client
		want   map[string]int // of a hundred
	}{
		{&teller{small, chance()}, map[string]int{"amalgamate": 15, "balance": 15, "deposit-checking": 15, "send-payment": 25, "transact-savings": 15, "write-check": 15}},
		{&terminal{tpcc: w, rand: chance(), w: 1}, map[string]int{"new-order": 45, "payment": 43, "order-status": 4, "delivery": 4, "stock-level": 4}},
	} {
		got := map[string]int{}
		for range n {
			got[c.client.Next().Kind]++
		}
		for kind, percent := range c.want {
			if d := got[kind] - percent*n/100; d < -n/100 || d > n/100 {
				t.Errorf("%s: %d of %d, want %d%%", kind, got[kind], n, percent)
			}
		}
		if len(got) != len(c.want) {
			t.Errorf("kinds: %v", got)
		}
	}
	hot := 0
	c := &teller{small, chance()}
	for range n {
		if c.customer() < 100 {
			hot++
		}
	}
	if hot < n*89/100 || hot > n*91/100 {
		t.Errorf("%d of %d are hot", hot, n)
	}
}

func TestJudge(t *testing.T) {
	my := func(n uint16) error { return fmt.Errorf("while working: %w", &mysql.MySQLError{Number: n}) }
	for _, c := range []struct {
		err      error
		inCommit bool
		want     verdict
		answered history.Outcome
	}{
		{nil, true, committed, history.OK},
		{my(1213), false, lost, history.Fail},
		{my(1213), true, lost, history.Fail},
		{my(1205), false, lost, history.Fail},
		{my(1180), true, unknown, history.Unknown},
		{my(1064), false, broken, history.Fail},
		{my(1064), true, broken, history.Unknown},
		{my(1053), false, cut, history.Fail},
		{my(1053), true, unknown, history.Unknown},
		{driver.ErrBadConn, false, cut, history.Fail},
		{mysql.ErrInvalidConn, true, unknown, history.Unknown},
		{io.ErrUnexpectedEOF, true, unknown, history.Unknown},
		{context.DeadlineExceeded, true, unknown, history.Unknown},
		{errRollback, false, rolledBack, history.Fail},
		{errBeaten, false, lost, history.Fail},
		{errors.New("odd"), false, broken, history.Fail},
	} {
		got := judge(c.err, c.inCommit)
		if got != c.want || got.outcome(c.inCommit) != c.answered {
			t.Errorf("%v (in commit: %v): %d, outcome %s; want %d, %s", c.err, c.inCommit, got, got.outcome(c.inCommit), c.want, c.answered)
		}
	}
}

func TestComment(t *testing.T) {
	table := Table{Name: "t", Home: "id"}
	for placement, want := range map[string]string{
		"":                `""`,
		"hash:4":          `" COMMENT='isochron: {\"spread\":\"hash\",\"shards\":4,\"columns\":[\"id\"]}'"`,
		`{"leader":"va"}`: `" COMMENT='isochron: {\"leader\":\"va\"}'"`,
	} {
		got, err := Comment(placement, table)
		if err != nil || fmt.Sprintf("%q", got) != want {
			t.Errorf("%q gives %q, %v", placement, got, err)
		}
	}
	for _, bad := range []string{"hash:", "hash:0", "hash:257", "va", `{"leader":"v'a"}`} {
		if got, err := Comment(bad, table); err == nil {
			t.Errorf("%q gives %q", bad, got)
		}
	}
}

func TestListText(t *testing.T) {
	for _, list := range [][]int64{nil, {1}, {3, 1, 2}} {
		back, err := parseList(formatList(list))
		if err != nil || !slices.Equal(back, list) {
			t.Errorf("%v is read back as %v, %v", list, back, err)
		}
	}
	if _, err := parseList("1,,2"); err == nil {
		t.Error("a torn list was taken for one")
	}
}

// Each violation of a bank is found, and only that.
func TestBankCheck(t *testing.T) {
	b := newBank(Options{Rows: 3}).(*bank)
	moved := map[int64]int64{0: -5, 1: 5}
	for want, balances := range map[string]map[int64]int64{
		"":                     {0: 995, 1: 1005, 2: 1000},
		"add up to 3001":       {0: 995, 1: 1005, 2: 1001},
		"account 0 has 996":    {0: 996, 1: 1004, 2: 1000},
		"there are 2 accounts": {0: 995, 1: 1005},
	} {
		found := strings.Join(b.checkBalances(moved, balances), "; ")
		if !strings.Contains(found, want) || (want == "") != (found == "") {
			t.Errorf("want %q, found %q", want, found)
		}
	}
	b.outcomes = map[int64]history.Outcome{1: history.OK, 2: history.Fail, 3: history.Unknown, 4: history.Unknown}
	if found := b.checkOutcomes(map[int64]bool{1: true, 3: true}); len(found) != 0 {
		t.Error(found)
	}
	if found := strings.Join(b.checkOutcomes(map[int64]bool{2: true}), "; "); !strings.Contains(found, "transfer 1 was acknowledged") || !strings.Contains(found, "transfer 2 was rolled back") {
		t.Error(found)
	}
}

// A ledger that does not fit the balances is found, and rows that are missing.
func TestFitCheck(t *testing.T) {
	f := newFit(Options{Rows: 2}).(*fit)
	paid := map[int64]int64{0: -5, 1: 7}
	for want, balances := range map[string]map[int64]int64{
		"":                     {0: -5, 1: 7},
		"account 1 has 8":      {0: -5, 1: 8},
		"there are 1 accounts": {0: -5},
	} {
		found := strings.Join(f.checkBalances(paid, balances), "; ")
		if !strings.Contains(found, want) || (want == "") != (found == "") {
			t.Errorf("want %q, found %q", want, found)
		}
	}
}

// The count is the acknowledged updates, and at most the unknown ones more; without a run nothing
// is known of it.
func TestHotspotCheck(t *testing.T) {
	h := newHotspot(Options{}).(*hotspot)
	h.before = 100
	for _, o := range []history.Outcome{history.OK, history.OK, history.Unknown, history.Fail} {
		h.receive(o)
	}
	for sum, sound := range map[int64]bool{101: false, 102: true, 103: true, 104: false} {
		if found := h.judge(sum, 1, true); (len(found) == 0) != sound {
			t.Errorf("%d: %q", sum, found)
		}
	}
	if found := h.judge(7, 1, false); found != nil {
		t.Error(found)
	}
	if found := h.judge(7, 2, false); len(found) != 1 {
		t.Error(found)
	}
}

// An address is a host with a port, or the path of a socket.
func TestAddresses(t *testing.T) {
	for address, fine := range map[string]bool{"127.0.0.1:4401": true, "/run/db/sock": true, "./sock": true, "127.0.0.1": false, "sock": false, "": false} {
		if err := (Target{Addresses: []string{address}, Database: "d"}).Check(); (err == nil) != fine {
			t.Errorf("%q: %v", address, err)
		}
	}
}
