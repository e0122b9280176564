package sqlload

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
)

// tpcc is the TPC-C benchmark, revision 5.11, without its terminals and their
// thinking: schema, load, the five transactions in their mix, and the twelve
// consistency conditions. Scale makes customers and items fewer, for tests.
type tpcc struct {
	warehouses int
	scale      float64
	c          nuConstants
	next       atomic.Int64 // for the keys of the history, which has none in the specification
}

// The specification's numbers.
const (
	tpccDistricts = 10
	tpccCustomers = 3000 // of a district; as many orders to begin with
	tpccItems     = 100_000
	tpccNames     = 1000 // last names
)

func newTPCC(o Options) Workload {
	return &tpcc{warehouses: or(o.Warehouses, 1), scale: or(o.Scale, 1), c: nuConstants{last: 123, customer: 259, item: 4711}}
}

func (t *tpcc) Sizes() map[string]float64 {
	return map[string]float64{"warehouses": float64(t.warehouses), "scale": t.scale}
}

func (t *tpcc) Adopt(sizes map[string]float64) {
	t.warehouses, t.scale = int(sizes["warehouses"]), sizes["scale"]
}

// customers returns the number of customers of a district: at least three, so that two in three
// orders can be delivered already.
func (t *tpcc) customers() int { return max(3, int(tpccCustomers*t.scale)) }

// items returns the number of items: no fewer than an order may have lines.
func (t *tpcc) items() int { return max(tpccLinesMax+1, int(tpccItems*t.scale)) }

func (t *tpcc) Tables() []Table { return tpccTables }

// Client belongs to a warehouse for its life, as a terminal does.
func (t *tpcc) Client(e *Env, id int, r *rand.Rand) (Client, error) {
	if t.warehouses < 1 {
		return nil, fmt.Errorf("there are no warehouses")
	}
	t.next.CompareAndSwap(0, e.Begun.UnixMilli()<<20)
	return &terminal{tpcc: t, rand: r, w: 1 + id%t.warehouses}, nil
}

// terminal is one client.
type terminal struct {
	*tpcc
	rand *rand.Rand
	w    int // its warehouse
}

// The mix: of a hundred transactions 45 are NewOrder, 43 Payment, and four are of
// each other kind.
func (c *terminal) Next() Txn {
	switch n := c.rand.IntN(100); {
	case n < 45:
		return c.newOrder()
	case n < 88:
		return c.payment()
	case n < 92:
		return c.orderStatus()
	case n < 96:
		return c.delivery()
	}
	return c.stockLevel()
}

func (c *terminal) district() int { return 1 + c.rand.IntN(tpccDistricts) }

// between is a number of a range, its ends included.
func (c *terminal) between(low, high int) int { return low + c.rand.IntN(high-low+1) }

func (c *terminal) customerID() int {
	return nuRand(c.rand, 1023, 1, c.customers(), c.c.customer)
}

func (c *terminal) itemID() int { return nuRand(c.rand, 8191, 1, c.items(), c.c.item) }

func (c *terminal) lastName() string {
	return lastName(nuRand(c.rand, 255, 0, min(tpccNames, c.customers())-1, c.c.last))
}

// otherWarehouse is not the client's own, if there is another.
func (c *terminal) otherWarehouse() int {
	if c.warehouses == 1 {
		return c.w
	}
	w := 1 + c.rand.IntN(c.warehouses-1)
	if w >= c.w {
		w++
	}
	return w
}

// customerName is a customer as a terminal names one: by number, or by last name.
type customerName struct {
	w, d, id int
	last     string // if not ""
}

// customer: three in five are named by their last name.
func (c *terminal) customer(w, d int) customerName {
	if c.rand.IntN(100) < 60 {
		return customerName{w: w, d: d, last: c.lastName()}
	}
	return customerName{w: w, d: d, id: c.customerID()}
}

// find is the customer's number: of several with one last name, the one in the
// middle by first name.
func (p customerName) find(ctx context.Context, tx *sql.Tx) (int, error) {
	if p.last == "" {
		return p.id, nil
	}
	rows, err := tx.QueryContext(ctx, "SELECT c_id FROM customer WHERE c_w_id = ? AND c_d_id = ? AND c_last = ? ORDER BY c_first", p.w, p.d, p.last)
	if err != nil {
		return 0, err
	}
	var ids []int
	err = scan(rows, func(rows *sql.Rows) error {
		var id int
		err := rows.Scan(&id)
		ids = append(ids, id)
		return err
	})
	if err != nil {
		return 0, err
	}
	if len(ids) == 0 {
		return 0, fmt.Errorf("no customer of district %d.%d is called %s", p.w, p.d, p.last)
	}
	return ids[(len(ids)-1)/2], nil
}

// nuConstants are the C of NURand, chosen once for a run; the load and the run must differ in the
// last name's constant as 2.1.6.1 of the specification allows.
type nuConstants struct{ last, customer, item int }

const nuLastAtLoad = 123 + 99

// nuRand is the specification's non-uniform random number in x..y.
func nuRand(r *rand.Rand, a, x, y, c int) int {
	return ((r.IntN(a+1)|(x+r.IntN(y-x+1)))+c)%(y-x+1) + x
}

var syllables = []string{"BAR", "OUGHT", "ABLE", "PRI", "PRES", "ESE", "ANTI", "CALLY", "ATION", "EING"}

// lastName is the name of a number below 1000: a syllable for each digit.
func lastName(n int) string { return syllables[n/100] + syllables[n/10%10] + syllables[n%10] }

// cents is money, sent and received as DECIMAL text.
type cents int64

func (c cents) String() string {
	sign := ""
	if c < 0 {
		sign, c = "-", -c
	}
	return fmt.Sprintf("%s%d.%02d", sign, c/100, c%100)
}

// Scan reads a DECIMAL with at most two digits after its point; NULL is nothing.
func (c *cents) Scan(from any) error {
	var text string
	switch v := from.(type) {
	case nil:
		*c = 0
		return nil
	case []byte:
		text = string(v)
	case int64:
		*c = cents(v * 100)
		return nil
	default:
		text = fmt.Sprint(v)
	}
	sign, rest := cents(1), text
	if len(rest) > 0 && rest[0] == '-' {
		sign, rest = -1, rest[1:]
	}
	var n cents
	seen, digits := false, 0
	for _, ch := range rest {
		switch {
		case ch == '.' && !seen:
			seen = true
		case ch >= '0' && ch <= '9' && digits < 2:
			n = n*10 + cents(ch-'0')
			if seen {
				digits++
			}
		case ch != '0':
			return fmt.Errorf("%q is no amount of money", text)
		}
	}
	for ; digits < 2; digits++ {
		n *= 10
	}
	*c = sign * n
	return nil
}
