package expr

import (
	crand "crypto/rand"
	"fmt"
	"math"
	"sync/atomic"
	"time"

	"vitess.io/vitess/go/vt/sqlparser"
)

// Miscellaneous functions (the manual's 14.23), and those of the performance schema (14.21).

var anyValue = alias("ANY_VALUE", same)

func init() {
	register(
		&Function{Name: "SLEEP", Min: 1, Max: 1, Type: integerType, Nulls: true, Volatile: true, Eval: sleep},
		&Function{Name: "UUID", Type: textType, Volatile: true, Eval: func(c *Call) (Value, error) { return c.Text(newUUID()), nil }},
		&Function{Name: "UUID_SHORT", Type: unsignedType, Volatile: true, Eval: func(*Call) (Value, error) { return Uint(shortUUID.Add(1)), nil }},
		&Function{Name: "RANDOM_BYTES", Min: 1, Max: 1, Type: binaryType, Volatile: true, Eval: randomBytes},
		&Function{Name: "NAME_CONST", Min: 2, Max: 2, Type: func(args []Type, _ *Context) Type { return args[1] }, Nulls: true, Eval: nameConst},
		&Function{Name: "INET_ATON", Min: 1, Max: 1, Type: unsignedType, Eval: inetAton},
	)
	registerNode(func(e *sqlparser.AnyValue) (node, bool) {
		return node{function: anyValue, args: []sqlparser.Expr{e.Arg}}, true
	})
	registerNode(func(e *sqlparser.PerformanceSchemaFuncExpr) (node, bool) {
		f := performanceFunctions[e.Type]
		n := node{function: f}
		if e.Argument != nil {
			n.args = []sqlparser.Expr{e.Argument}
		}
		return n, f != nil
	})
}

// sleep is SLEEP: 0 after so many seconds, 1 if the statement was ended before.
func sleep(c *Call) (Value, error) {
	seconds := -1.0
	if !c.IsNull(0) {
		seconds = c.Float(0)
	}
	if seconds < 0 {
		if c.mode("STRICT_TRANS_TABLES") || c.mode("STRICT_ALL_TABLES") {
			return Null, newError(1210, "HY000", "Incorrect arguments to sleep")
		}
		c.Warn(1210, "Incorrect arguments to sleep")
		return Int(0), nil
	}
	if seconds < 0.00001 {
		return Int(0), nil
	}
	length := time.Duration(math.MaxInt64)
	if seconds < float64(math.MaxInt64/int64(time.Second)) {
		length = time.Duration(seconds * float64(time.Second))
	}
	var done <-chan struct{}
	if c.Done != nil {
		done = c.Done.Done()
	}
	timer := time.NewTimer(length)
	defer timer.Stop()
	select {
	case <-timer.C:
		return Int(0), nil
	case <-done:
		return Int(1), nil
	}
}

// uuidEpoch is where the time of a UUID begins, in 100 ns before Unix' epoch.
const uuidEpoch = 122192928000000000

var (
	lastUUID  atomic.Int64                                               // the time of the last one
	uuidNode  = func() (b [8]byte) { _, _ = crand.Read(b[:]); return }() // of this process: its sequence and node
	shortUUID = func() *atomic.Uint64 {
		var n atomic.Uint64
		n.Store(uint64(uuidNode[7])<<56 | uint64(uint32(time.Now().Unix()))<<24)
		return &n
	}()
)

// newUUID is a UUID of version 1: of the time, and of numbers drawn when the process began.
func newUUID() string {
	now := time.Now().UnixNano()/100 + uuidEpoch
	for {
		last := lastUUID.Load()
		now = max(now, last+1)
		if lastUUID.CompareAndSwap(last, now) {
			break
		}
	}
	sequence := uint16(uuidNode[0]&0x3f|0x80)<<8 | uint16(uuidNode[1])
	node := uuidNode[2:]
	return fmt.Sprintf("%08x-%04x-%04x-%04x-%02x%x", uint32(now), uint16(now>>32), uint16(now>>48)&0xfff|0x1000, sequence, node[0]|1, node[1:])
}

// randomBytes is RANDOM_BYTES, of 1 to 1024 bytes.
func randomBytes(c *Call) (Value, error) {
	n := c.Integer(0)
	if n < 1 || n > 1024 {
		return Null, newError(1690, "22003", "length value is out of range in 'random_bytes'")
	}
	b := make([]byte, n)
	if _, err := crand.Read(b); err != nil {
		return Null, newError(1105, "HY000", "%v", err)
	}
	return c.Bytes(b), nil
}

// nameConst is NAME_CONST: its second argument, named by the first.
func nameConst(c *Call) (Value, error) {
	if !c.Constant[0] || !c.Constant[1] || c.IsNull(0) {
		return Null, newError(1210, "HY000", "Incorrect arguments to NAME_CONST")
	}
	return c.Args[1], nil
}

// inetAton is INET_ATON. Numbers that are missing are 0, and are those before the last one.
func inetAton(c *Call) (Value, error) {
	text := c.Str(0)
	address, number, dots, last := uint64(0), uint64(0), 0, byte('.')
	for i := range len(text) {
		switch last = text[i]; {
		case last == '.':
			address, number = address<<8+number, 0
			dots++
		case last < '0' || last > '9':
			return c.noAddress(text), nil
		default:
			if number = number*10 + uint64(last-'0'); number > 255 {
				return c.noAddress(text), nil
			}
		}
	}
	if last == '.' {
		return c.noAddress(text), nil
	}
	if dots == 1 || dots == 2 {
		address <<= 8 * (3 - dots)
	}
	return Uint(address<<8 + number), nil
}

func (c *Call) noAddress(text string) Value {
	c.Warn(1411, fmt.Sprintf("Incorrect string value: '%s' for function inet_aton", shorten(text)))
	return Null
}

var performanceFunctions = map[sqlparser.PerformanceSchemaType]*Function{
	sqlparser.FormatBytesType:       {Name: "FORMAT_BYTES", Min: 1, Max: 1, Type: textType, Eval: func(c *Call) (Value, error) { return c.Text(formatBytes(c.Float(0))), nil }},
	sqlparser.FormatPicoTimeType:    {Name: "FORMAT_PICO_TIME", Min: 1, Max: 1, Type: textType, Eval: func(c *Call) (Value, error) { return c.Text(formatPicoseconds(c.Float(0))), nil }},
	sqlparser.PsCurrentThreadIDType: sessionInteger("PS_CURRENT_THREAD_ID", unsignedType, func(s Session) Value { return Uint(uint64(s.ConnectionID())) }),
	sqlparser.PsThreadIDType:        {Name: "PS_THREAD_ID", Min: 1, Max: 1, Type: unsignedType, Eval: func(c *Call) (Value, error) { return Uint(c.Bits(0)), nil }},
}

// unit is a multiple of what is measured.
type unit struct {
	size float64
	name string
}

func formatBytes(n float64) string {
	if math.Abs(n) < 1024 {
		return fmt.Sprintf("%4d bytes", int64(n))
	}
	return inUnit(n, []unit{{1 << 60, "EiB"}, {1 << 50, "PiB"}, {1 << 40, "TiB"}, {1 << 30, "GiB"}, {1 << 20, "MiB"}, {1 << 10, "KiB"}})
}

func formatPicoseconds(n float64) string {
	if math.Abs(n) < 1000 {
		return fmt.Sprintf("%3d ps", int64(n))
	}
	return inUnit(n, []unit{{86400e12, "d"}, {3600e12, "h"}, {60e12, "min"}, {1e12, "s"}, {1e9, "ms"}, {1e6, "us"}, {1e3, "ns"}})
}

// inUnit writes a number in the largest unit that it reaches; the last is the smallest.
func inUnit(n float64, units []unit) string {
	u := units[len(units)-1]
	for _, larger := range units {
		if math.Abs(n) >= larger.size {
			u = larger
			break
		}
	}
	if v := n / u.size; math.Abs(v) >= 100000 {
		return fmt.Sprintf("%4.2e %s", v, u.name)
	}
	return fmt.Sprintf("%4.2f %s", n/u.size, u.name)
}
