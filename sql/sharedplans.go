package sql

import (
	"strconv"
	"sync"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/sqltypes"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"isochron/sql/catalog"
	"isochron/sql/plan"
)

// direct is a plan into which values of these kinds can go without being made
// expressions first. Sessions share it: a thousand clients that send one text
// should not have it compiled a thousand times.
type direct struct {
	plan  *plan.Direct
	texts []bool // which parameters are texts; the others are whole numbers
}

// newDirect makes one of a bound change for values of these kinds; nil if that cannot be.
func newDirect(p *plan.Direct, r *request) *direct {
	given := r.given([]any{})
	if p == nil || given == nil {
		return nil
	}
	d := &direct{plan: p}
	for _, v := range given {
		_, isText := v.(string)
		d.texts = append(d.texts, isText)
	}
	return d
}

// takes reports whether the plan was compiled for values of these kinds.
func (d *direct) takes(values []any) bool {
	if len(values) != len(d.texts) {
		return false
	}
	for i, v := range values {
		if _, isText := v.(string); isText != d.texts[i] {
			return false
		}
	}
	return true
}

// directsMax bounds the plans that the sessions of a server share, where nobody says
// it; beyond it all are forgotten.
const directsMax = 1024

// directs are the plans that sessions share.
type directs struct {
	mu        sync.RWMutex
	catalogue *catalog.Snapshot // under which all of them were made
	plans     map[sharing]*direct
	most      int // plans
}

func (d *directs) len() int {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return len(d.plans)
}

// sharing is all that a plan depends on, as far as other sessions can have it too.
type sharing struct {
	key, database string
	catalogue     *catalog.Snapshot
	privileges    uint64
	user, address string
	settings      uint64 // Session.summed
}

// sharing is what the plans of the text depend on in a session of a client with these settings.
func (t *text) sharing(key string, of gms.Client, settings uint64) sharing {
	return sharing{key: key, database: t.under.database, catalogue: t.under.catalogue, privileges: t.under.privileges,
		user: of.User, address: of.Address, settings: settings}
}

func (d *directs) get(k sharing) *direct {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.plans[k]
}

func (d *directs) put(k sharing, p *direct) {
	if p == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.plans == nil || d.catalogue != k.catalogue || len(d.plans) >= d.most {
		d.plans, d.catalogue = map[sharing]*direct{}, k.catalogue
	}
	d.plans[k] = p
}

// appendGiven appends values of a text; nil if one is neither a whole number nor a
// string.
func appendGiven(into []any, values []sqlparser.Expr) []any {
	for _, e := range values {
		v, ok := e.(*sqlparser.SQLVal)
		switch {
		case ok && v.Type == sqlparser.IntVal:
			into = appendInteger(into, v.Val)
		case ok && v.Type == sqlparser.StrVal:
			into = append(into, string(v.Val))
		default:
			return nil
		}
		if into == nil {
			return nil
		}
	}
	return into
}

// appendBound appends the values of an execution; nil if one is neither a whole
// number nor a string.
func appendBound(into []any, p *mysql.PrepareData) []any {
	for i := range len(p.BindVars) {
		bv := p.BindVars[paramName(i)]
		switch {
		case bv == nil:
			return nil
		case sqltypes.IsIntegral(bv.Type):
			into = appendInteger(into, bv.Value)
		case sqltypes.IsQuoted(bv.Type):
			into = append(into, string(bv.Value))
		default:
			return nil
		}
		if into == nil {
			return nil
		}
	}
	return into
}

// appendInteger appends a whole number; nil if it is beyond those of int64.
func appendInteger(into []any, digits []byte) []any {
	n, err := strconv.ParseInt(string(digits), 10, 64)
	if err != nil {
		return nil
	}
	return append(into, n)
}

// paramNames are those of the first parameters: each execution asks for them.
var paramNames = func() (names [64]string) {
	for i := range names {
		names[i] = plan.ParamName(i)
	}
	return names
}()

// paramName is what the wire library calls a parameter.
func paramName(i int) string {
	if i < len(paramNames) {
		return paramNames[i]
	}
	return plan.ParamName(i)
}
