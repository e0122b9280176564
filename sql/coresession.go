package sql

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
	"unsafe"

	"github.com/cockroachdb/apd/v3"
	gms "github.com/dolthub/go-mysql-server/sql"
	"vitess.io/vitess/go/mysql/collations"
	"vitess.io/vitess/go/mysql/collations/charset"
	vtsqltypes "vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/vtgate/evalengine"

	"isochron/sql/expr"
	"isochron/sql/parse"
	"isochron/sql/sysvars"
)

// coreSettings are what the SQL core needs of a session's settings.
type coreSettings struct {
	known          bool
	settings       uint64 // they are as of these
	reads          parse.Mode
	refused        []string // names of package refused, of modes under which some queries are
	unknown        string   // the connection's collation, if no comparison of it is known
	fullGroup      bool
	strict         bool
	keepsZero      bool // NO_AUTO_VALUE_ON_ZERO
	unchecked      bool // foreign keys are not checked
	mode           string
	collation      collations.ID
	results        resultCharset
	client         charset.Charset // of the client's texts; nil: UTF-8
	maxPacket      int
	groupConcatMax int
	timestamp      time.Time // SET timestamp; zero: the statement's own time
}

// unsetTimestamp is the engine's value of the variable timestamp as long as no client has set it.
const unsetTimestamp = 1000

// coreSettings are those of now.
func (s *sessionVariables) coreSettings() *coreSettings {
	c := &s.coreSet
	if c.known && c.settings == s.Settings {
		return c
	}
	*c = coreSettings{known: true, settings: s.Settings}
	c.mode = strings.ToUpper(s.textVariable("sql_mode"))
	modes := strings.Split(c.mode, ",")
	c.fullGroup = slices.Contains(modes, "ONLY_FULL_GROUP_BY")
	c.strict = slices.Contains(modes, "STRICT_TRANS_TABLES") || slices.Contains(modes, "STRICT_ALL_TABLES")
	c.keepsZero = slices.Contains(modes, "NO_AUTO_VALUE_ON_ZERO")
	if v, err := s.base.GetSessionVariable(s.quiet, sysvars.ForeignKeyChecks); err == nil {
		checked, err := gms.ConvertToBool(s.quiet, v)
		c.unchecked = err == nil && !checked
	}
	c.maxPacket = int(s.Number("max_allowed_packet", expr.DefaultMaxPacket))
	c.groupConcatMax = int(s.Number("group_concat_max_len", 1024))
	if v, err := s.base.GetSessionVariable(s.quiet, "timestamp"); err == nil {
		if seconds, ok := v.(float64); ok && seconds != unsetTimestamp {
			c.timestamp = time.UnixMicro(int64(math.Round(seconds * 1e6)))
		}
	}
	c.reads, c.refused = parse.ModeOf(c.mode), nil
	for _, m := range modes {
		if name := refusedModes[m]; name != "" {
			c.refused = append(c.refused, name)
		}
	}
	id, known := expr.Environment().CollationEnv().LookupID(s.textVariable("collation_connection"))
	c.collation, c.unknown = id, ""
	c.results = resultCharsetOf(s.textVariable("character_set_results"))
	c.client = clientCharsetOf(s.textVariable("character_set_client"))
	if !known || !expr.Environment().CollationEnv().IsSupported(id) {
		c.unknown = s.textVariable("collation_connection")
	}
	return c
}

// textVariable is a variable of the session that is a text.
func (s *sessionVariables) textVariable(name string) string {
	v, err := s.base.GetSessionVariable(s.quiet, name)
	if text, ok := v.(string); err == nil && ok {
		return text
	}
	return ""
}

// coreContext is what a statement's expressions depend on.
func coreContext(ctx context.Context, s *Session) *expr.Context {
	set, c := s.coreSettings(), &s.coreCtx
	c.Forget()
	c.Done, c.Now, c.Zone = ctx, s.stats.Began, s.Zone()
	if !set.timestamp.IsZero() {
		c.Now = set.timestamp
	}
	if c.Now.IsZero() {
		c.Now = time.Now()
	}
	c.SQLMode, c.Collation, c.MaxPacket, c.GroupConcatMax = set.mode, set.collation, set.maxPacket, set.groupConcatMax
	c.Strict = false // a query stores nothing
	c.Database, c.Session = s.GetCurrentDatabase(), coreView{s}
	return c
}

// Warnings implements gms.Session: they are in the order in which they came. The engine's have the last first.
func (s *Session) Warnings() []*gms.Warning {
	list := s.BaseSession.Warnings()
	slices.Reverse(list)
	return list
}

// showCoreWarnings has SHOW WARNINGS show those of the core.
func showCoreWarnings(s *Session, c *expr.Context) {
	list, _ := c.Warnings()
	for _, w := range list {
		s.Warn(&gms.Warning{Level: w.Level, Code: w.Code, Message: w.Message})
	}
}

// coreView is the session as the core's functions see it.
type coreView struct{ s *Session }

var _ expr.Session = coreView{}

func (v coreView) User() string { return v.s.who }

func (v coreView) CurrentUser() string {
	c := v.s.Client()
	return c.User + "@" + c.Address
}

func (v coreView) ConnectionID() uint32 { return v.s.ID() }

func (v coreView) LastInsertID() uint64 { return uint64(v.s.GetLastQueryInfo().LastInsertId.Load()) }

func (v coreView) SetLastInsertID(n uint64) { v.s.GetLastQueryInfo().LastInsertId.Store(int64(n)) }

func (v coreView) RowCount() int64 { return v.s.GetLastQueryInfo().RowCount.Load() }

func (v coreView) FoundRows() int64 { return v.s.GetLastQueryInfo().FoundRows.Load() }

func (v coreView) Variable(name string, global bool) (expr.Value, expr.Type, bool) {
	var value any
	if global {
		_, found, ok := gms.SystemVariables.GetGlobal(name)
		if !ok {
			return expr.Null, expr.NullType(), false
		}
		value = found
	} else {
		found, err := v.s.GetSessionVariable(v.s.quiet, name)
		if err != nil {
			return expr.Null, expr.NullType(), false
		}
		value = found
	}
	return v.of(value)
}

func (v coreView) UserVariable(name string) (expr.Value, expr.Type) {
	_, value, err := v.s.GetUserVariable(v.s.quiet, name)
	if err != nil {
		return expr.Null, expr.NullType()
	}
	out, t, _ := v.of(value)
	return out, t
}

// bytesOfText are the bytes of a text, not a copy: values are not changed, and a variable may be long.
func bytesOfText(text string) []byte { return unsafe.Slice(unsafe.StringData(text), len(text)) }

// of is a value of the engine's.
func (v coreView) of(value any) (expr.Value, expr.Type, bool) {
	of := func(t vtsqltypes.Type, collation collations.ID, text string) (expr.Value, expr.Type, bool) {
		return vtsqltypes.MakeTrusted(t, bytesOfText(text)), evalengine.NewTypeEx(t, collation, true, 0, 0, nil), true
	}
	const binary = collations.ID(collations.CollationBinaryID)
	switch n := value.(type) {
	case nil:
		return expr.Null, expr.NullType(), true
	case bool:
		if n {
			return of(vtsqltypes.Int64, binary, "1")
		}
		return of(vtsqltypes.Int64, binary, "0")
	case int8, int16, int32, int64, int:
		return of(vtsqltypes.Int64, binary, fmt.Sprint(n))
	case uint8, uint16, uint32, uint64, uint:
		return of(vtsqltypes.Uint64, binary, fmt.Sprint(n))
	case float64:
		return vtsqltypes.NewFloat64(n), evalengine.NewTypeEx(vtsqltypes.Float64, binary, true, 0, 31, nil), true
	case float32:
		return vtsqltypes.NewFloat64(float64(n)), evalengine.NewTypeEx(vtsqltypes.Float64, binary, true, 0, 31, nil), true
	case *apd.Decimal:
		value := vtsqltypes.MakeTrusted(vtsqltypes.Decimal, []byte(n.Text('f')))
		return value, evalengine.NewTypeEx(vtsqltypes.Decimal, binary, true, 65, max(0, -n.Exponent), nil), true
	case string:
		return of(vtsqltypes.VarChar, v.s.coreSettings().collation, n)
	case []byte:
		return vtsqltypes.MakeTrusted(vtsqltypes.VarBinary, n), evalengine.NewTypeEx(vtsqltypes.VarBinary, binary, true, 0, 0, nil), true
	case time.Time:
		return of(vtsqltypes.VarChar, v.s.coreSettings().collation, n.Format("2006-01-02 15:04:05.999999"))
	}
	return expr.Null, expr.NullType(), false
}
