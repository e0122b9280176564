package sqlload

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"sync"

	"isochron/history"
)

// smallbank is six small transactions over customers with a savings and a checking account each
// (Alomari and others, ICDE 2008), nine tenths of them on a few hot customers. Balances are cents.
type smallbank struct {
	customers, hot int
	mu             sync.Mutex
	before         int64 // all money there was when the run began
	low, high      int64 // bounds of its change since then
}

const (
	smallFirstBalance = 1_000_000
	smallHotPercent   = 90
)

// smallMix is the share of each kind in a hundred transactions.
var smallMix = []struct {
	kind    string
	percent int
	make    func(c *teller) Txn
}{
	{"amalgamate", 15, (*teller).amalgamate},
	{"balance", 15, (*teller).balance},
	{"deposit-checking", 15, (*teller).depositChecking},
	{"send-payment", 25, (*teller).sendPayment},
	{"transact-savings", 15, (*teller).transactSavings},
	{"write-check", 15, (*teller).writeCheck},
}

func newSmallbank(o Options) Workload {
	s := &smallbank{customers: or(o.Rows, 10000), hot: o.Hot}
	if s.hot == 0 {
		s.hot = max(2, s.customers/1000)
	}
	return s
}

func (s *smallbank) Sizes() map[string]float64 {
	return map[string]float64{"customers": float64(s.customers)}
}

func (s *smallbank) Adopt(sizes map[string]float64) {
	s.customers = int(sizes["customers"])
	s.hot = min(s.hot, s.customers)
}

func (s *smallbank) Tables() []Table {
	return []Table{
		{"smallbank_savings", "custid BIGINT NOT NULL PRIMARY KEY, bal BIGINT NOT NULL", "custid"},
		{"smallbank_checking", "custid BIGINT NOT NULL PRIMARY KEY, bal BIGINT NOT NULL", "custid"},
	}
}

func (s *smallbank) Load(ctx context.Context, e *Env) error {
	for _, table := range []string{"smallbank_savings", "smallbank_checking"} {
		err := fill(ctx, e, table+" (custid, bal)", s.customers, func(i int) string {
			return fmt.Sprintf("(%d, %d)", i, smallFirstBalance)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *smallbank) Client(_ *Env, _ int, r *rand.Rand) (Client, error) {
	if s.customers < 2 || s.hot < 2 {
		return nil, fmt.Errorf("smallbank needs at least two customers, and two hot ones")
	}
	return &teller{s, r}, nil
}

type teller struct {
	*smallbank
	rand *rand.Rand
}

func (c *teller) Next() Txn {
	n := c.rand.IntN(100)
	for _, m := range smallMix {
		if n -= m.percent; n < 0 {
			t := m.make(c)
			t.Kind = m.kind
			return t
		}
	}
	panic("the mix does not add up to a hundred")
}

func (c *teller) customer() int64 {
	if c.rand.IntN(100) < smallHotPercent || c.hot == c.customers {
		return c.rand.Int64N(int64(c.hot))
	}
	return int64(c.hot) + c.rand.Int64N(int64(c.customers-c.hot))
}

// two are different customers.
func (c *teller) two() (a, b int64) {
	for a, b = c.customer(), c.customer(); a == b; b = c.customer() {
	}
	return a, b
}

func (c *teller) amount() int64 { return 1 + c.rand.Int64N(5000) }

// The statements.
const (
	smallSavings     = "SELECT bal FROM smallbank_savings WHERE custid = ?"
	smallChecking    = "SELECT bal FROM smallbank_checking WHERE custid = ?"
	smallSetSavings  = "UPDATE smallbank_savings SET bal = ? WHERE custid = ?"
	smallSetChecking = "UPDATE smallbank_checking SET bal = ? WHERE custid = ?"
	smallAddChecking = "UPDATE smallbank_checking SET bal = bal + ? WHERE custid = ?"
)

func one(ctx context.Context, tx *sql.Tx, text string, customer int64) (bal int64, err error) {
	err = tx.QueryRowContext(ctx, text, customer).Scan(&bal)
	return bal, err
}

// booked is a transaction that changes the sum of money: the amount that its body returns is added
// to the books of this driver when it ends.
func (c *teller) booked(body func(context.Context, *sql.Tx) (int64, error)) Txn {
	var delta int64
	return Txn{
		Body: func(ctx context.Context, tx *sql.Tx) (err error) {
			delta, err = body(ctx, tx)
			return err
		},
		After: func(t Try) { c.book(delta, t.Outcome) },
	}
}

// book adds to the bounds of the change.
func (s *smallbank) book(delta int64, o history.Outcome) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if o == history.OK || o == history.Unknown && delta < 0 {
		s.low += delta
	}
	if o == history.OK || o == history.Unknown && delta > 0 {
		s.high += delta
	}
}

// amalgamate moves all the money of one customer to another.
func (c *teller) amalgamate() Txn {
	a, b := c.two()
	return Txn{Body: func(ctx context.Context, tx *sql.Tx) error {
		savings, err := one(ctx, tx, smallSavings, a)
		if err != nil {
			return err
		}
		checking, err := one(ctx, tx, smallChecking, a)
		if err != nil {
			return err
		}
		if err := ChangeOne(ctx, tx, smallSetSavings, 0, a); err != nil {
			return err
		}
		if err := ChangeOne(ctx, tx, smallSetChecking, 0, a); err != nil {
			return err
		}
		return ChangeOne(ctx, tx, smallAddChecking, savings+checking, b)
	}}
}

func (c *teller) balance() Txn {
	a := c.customer()
	return Txn{Body: func(ctx context.Context, tx *sql.Tx) error {
		if _, err := one(ctx, tx, smallSavings, a); err != nil {
			return err
		}
		_, err := one(ctx, tx, smallChecking, a)
		return err
	}}
}

func (c *teller) depositChecking() Txn {
	a, amount := c.customer(), c.amount()
	return c.booked(func(ctx context.Context, tx *sql.Tx) (int64, error) {
		return amount, ChangeOne(ctx, tx, smallAddChecking, amount, a)
	})
}

func (c *teller) sendPayment() Txn {
	a, b := c.two()
	amount := c.amount()
	return Txn{Body: func(ctx context.Context, tx *sql.Tx) error {
		bal, err := one(ctx, tx, smallChecking, a)
		if err != nil {
			return err
		}
		if bal < amount {
			return errRollback
		}
		if err := ChangeOne(ctx, tx, smallSetChecking, bal-amount, a); err != nil {
			return err
		}
		return ChangeOne(ctx, tx, smallAddChecking, amount, b)
	}}
}

// transactSavings pays in or takes out, never below zero.
func (c *teller) transactSavings() Txn {
	a, amount := c.customer(), c.amount()
	if c.rand.IntN(2) == 0 {
		amount = -amount
	}
	return c.booked(func(ctx context.Context, tx *sql.Tx) (int64, error) {
		bal, err := one(ctx, tx, smallSavings, a)
		if err != nil {
			return 0, err
		}
		if bal+amount < 0 {
			return 0, errRollback
		}
		return amount, ChangeOne(ctx, tx, smallSetSavings, bal+amount, a)
	})
}

// smallPenalty is for a check that the customer's money does not cover.
const smallPenalty = 100

// writeCheck reads both accounts and takes from one: the write skew of the
// paper, which serializable isolation excludes.
func (c *teller) writeCheck() Txn {
	a, amount := c.customer(), c.amount()
	return c.booked(func(ctx context.Context, tx *sql.Tx) (int64, error) {
		savings, err := one(ctx, tx, smallSavings, a)
		if err != nil {
			return 0, err
		}
		checking, err := one(ctx, tx, smallChecking, a)
		if err != nil {
			return 0, err
		}
		take := amount
		if savings+checking < amount {
			take += smallPenalty
		}
		return -take, ChangeOne(ctx, tx, smallSetChecking, checking-take, a)
	})
}

// Start adds up all money, so that Check knows the change of the run.
func (s *smallbank) Start(ctx context.Context, e *Env) (err error) {
	s.before, _, err = s.money(ctx, e)
	return err
}

// money returns the sum of money, and other violations.
func (s *smallbank) money(ctx context.Context, e *Env) (sum int64, found []string, err error) {
	for _, table := range []string{"smallbank_savings", "smallbank_checking"} {
		var rows int
		var bal, least int64
		text := "SELECT COUNT(*), SUM(bal), MIN(bal) FROM " + table
		err := query(ctx, e.DB(), text, nil, func(r *sql.Rows) error { return r.Scan(&rows, &bal, &least) })
		if err != nil {
			return 0, nil, err
		}
		sum += bal
		if rows != s.customers {
			found = append(found, fmt.Sprintf("%s has %d customers, not %d", table, rows, s.customers))
		}
		if table == "smallbank_savings" && least < 0 {
			found = append(found, fmt.Sprintf("savings are down to %d, and no transaction takes them below zero", least))
		}
	}
	return sum, found, nil
}

// Check adds up all money again; between runs the expected sum is unknown.
func (s *smallbank) Check(ctx context.Context, e *Env, run *Report) ([]string, error) {
	sum, found, err := s.money(ctx, e)
	if err != nil || run == nil {
		return found, err
	}
	if sum < s.before+s.low || sum > s.before+s.high {
		found = append(found, fmt.Sprintf("all money was %d, and by the outcomes that clients received it should now be between %d and %d; it is %d",
			s.before, s.before+s.low, s.before+s.high, sum))
	}
	return found, nil
}
