package sql

import (
	"context"
	"fmt"
	"isochron/sql/account"
	"isochron/sql/memory"

	"github.com/dolthub/vitess/go/mysql"
)

// Values that a client sends ahead of an execution (COM_STMT_SEND_LONG_DATA) have no
// answer, and stay with the statement until it is executed. The wire library keeps what
// comes; here it is looked after between two reads of the connection. What is beyond a
// bound is dropped, and the next execution of its statement fails.

// longDataGlance is after how many bytes of a client it is looked again at what it has
// sent ahead.
const longDataGlance = 64 << 10

// longData is what a connection knows of values that were sent ahead. It is of the
// goroutine that reads.
type longData struct {
	sent    int64            // bytes that came since the last look
	bytes   int64            // held at the last look, and counted in the node's budget
	refused map[uint32]error // statements whose values were dropped
}

// weigh counts the values that the client has sent ahead, and drops what is too much.
func (c *conn) weigh() {
	l := &c.long
	l.sent = 0
	if l.bytes == 0 && !c.sentAhead() {
		return
	}
	all := c.longBytes()
	if grown := all - l.bytes; grown > 0 {
		c.taken(grown)
	}
	b := c.gateway.budget
	kept, ctx := int64(0), context.Background()
	if c.session != nil {
		kept, ctx = c.session.kept.All, c.session.quiet
	}
	most := b.Limit(ctx, connectionMemory, b.Connection)
	switch {
	case all+kept > most:
		all = c.dropLong(fmt.Errorf("the values sent ahead of the execution of a connection's statements (COM_STMT_SEND_LONG_DATA) would take more than %d bytes (%s)", most, connectionMemory))
	case all > l.bytes && b.InUse()+all-l.bytes > b.Limit(ctx, nodeMemory, b.Node):
		all = c.dropLong(fmt.Errorf("the values sent ahead of an execution (COM_STMT_SEND_LONG_DATA) would have all statements of this node hold more than %d bytes (%s)", b.Limit(ctx, nodeMemory, b.Node), nodeMemory))
	case all > l.bytes && c.share.Memory.Load()+all-l.bytes > account.PartOf(b.Limit(ctx, nodeMemory, b.Node)):
		all = c.dropLong(fmt.Errorf("the values sent ahead of an execution (COM_STMT_SEND_LONG_DATA) would have the account's statements hold more than 80 %% of what those of this node may (%s)", nodeMemory))
	}
	b.Hold(all - l.bytes)
	c.share.Memory.Add(all - l.bytes)
	l.bytes = all
}

// sentAhead reports whether any value is.
func (c *conn) sentAhead() bool {
	for _, p := range c.client.PrepareData { // order: any will do
		if len(p.BindVars) > 0 {
			return true
		}
	}
	return false
}

// longBytes are those of the values sent ahead. One beyond max_allowed_packet is dropped.
func (c *conn) longBytes() (all int64) {
	for id, p := range c.client.PrepareData { // order: into a sum, and each by itself
		for name, v := range p.BindVars { // order: the same
			if v == nil { // COM_STMT_RESET leaves it, and the library falls over it
				delete(p.BindVars, name)
				continue
			}
			if len(v.Value) > statementMaxBytes {
				c.refuseLong(id, fmt.Errorf("a parameter of a prepared statement which is set through mysql_send_long_data() is longer than 'max_allowed_packet' bytes (%d)", statementMaxBytes))
				v.Value = nil // the place is kept: what comes next is appended, and dropped again
			}
			all += int64(len(v.Value))
		}
	}
	return all
}

// dropLong drops all values that were sent ahead.
func (c *conn) dropLong(why error) int64 {
	for id, p := range c.client.PrepareData { // order: each by itself
		for _, v := range p.BindVars { // order: the same
			if len(v.Value) > 0 {
				c.refuseLong(id, why)
				v.Value = nil
			}
		}
	}
	return 0
}

func (c *conn) refuseLong(id uint32, why error) {
	if c.long.refused == nil {
		c.long.refused = map[uint32]error{}
	}
	c.long.refused[id] = why
}

// taken notes that bytes of the client's have been read to their end: they are no part of
// a request that is still on its way.
func (c *conn) taken(n int64) {
	was := c.request.Load()
	now := max(0, was-n)
	c.request.Store(now)
	if less := max(0, was-requestSmallBytes) - max(0, now-requestSmallBytes); less > 0 {
		c.port.unread.Add(-less)
		c.share.Requests.Add(-less)
	}
}

// executes is called before the execution of a statement, which uses up the values sent ahead of
// it: the error is why it cannot be.
func (c *conn) executes(p *mysql.PrepareData) error {
	if c == nil || c.client == nil || c.long.bytes == 0 && c.long.refused == nil && c.long.sent < longDataGlance {
		return nil
	}
	c.weigh()
	c.long.sent = longDataGlance // the next look is at the next read
	why := c.long.refused[p.StatementID]
	if why == nil {
		return nil
	}
	delete(c.long.refused, p.StatementID)
	return mysql.NewSQLError(codeUnspecified, "HY000", "%v; it was not executed. Send less", why)
}

// dropped gives back what a connection that is closed has held.
func (l *longData) dropped(b *memory.Budget, of *account.Share) {
	b.Hold(-l.bytes)
	of.Give(account.OfMemory, l.bytes)
	*l = longData{}
}
