package sql

import (
	"context"
	"errors"
	"isochron/sql/catalog"
	"isochron/sql/session"
	"regexp"
	"strings"
	"time"

	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/sqltypes"
)

// Several statements in one packet. The client reads no answer before it has sent
// all, so a transaction that stands in it as a whole, or from its begin to the
// packet's end, is one thing: its answers are held back until it has ended, and if
// it loses it is done again from its first statement. The wire library asks for one
// statement after the other; it is given the answers that are at hand.

// packetHeldBytes bounds what is held of a transaction's answers. One that yields
// more is begun anew, and its answers go out as they come.
const packetHeldBytes = 1 << 20

// packet is what a session keeps of the packet that it answers.
type packet struct {
	answers  []*answer // of statements that were done, and that were not asked for yet
	warnings *uint16   // of the answer given last; nil: the session's

	live     string // one whose answers are not held, whatever of it is left
	held     bool   // statements are done whose answers are kept
	again    bool   // that is not the first try
	beyond   bool   // the answers were more than are held
	lasting  bool   // it cannot be done again
	spoilt   bool   // what has failed was not executed alone (together.go)
	single   bool   // so that each statement goes by itself
	settings uint64 // the session's when it began
	database string // likewise

	ahead []*executedAhead // statements that sources have executed before their turn
	steps []request        // of a procedure that is one transaction: the one that is under way, and those behind it
	sets  []*answer        // of a procedure, behind its first
	apart string           // statements of this text, or of its end, go by themselves
}

// answer is what one statement of a packet came to.
type answer struct {
	text     string // of it and of all behind it
	rest     string // of all behind it
	results  results
	err      error
	flags    uint16
	warnings uint16
}

// beginsOne matches a text that begins with the begin of a transaction.
var beginsOne = regexp.MustCompile(`(?is)^(?:\s|/\*.*?\*/)*(?:begin|start\s+transaction)\b`)

// several reports whether a text may have more than one statement.
func several(text string) bool {
	i := strings.IndexByte(text, ';')
	return i >= 0 && strings.TrimSpace(text[i+1:]) != ""
}

// opensTransaction reports whether a transaction begins with the first statement of a text of
// several, or has begun without showing anything.
func opensTransaction(s *Session, text string) bool {
	if s.open.begun() || s.Chosen().Retries == 0 || !several(text) {
		return false
	}
	if s.packet.live != "" && strings.HasSuffix(s.packet.live, text) {
		return false
	}
	s.packet.live = ""
	return s.GetIgnoreAutoCommit() || !s.Autocommit() || beginsOne.MatchString(text)
}

// inTransaction reports whether what the client sends next belongs to what was before.
func inTransaction(s *Session) bool {
	return s.GetIgnoreAutoCommit() || !s.Autocommit() && s.open != nil || len(s.packet.ahead) > 0
}

// errBeyond ends a statement whose answer is more than is held. No client sees it.
var errBeyond = errors.New("the answers to the statements of a packet are more than are held")

// multi answers the first statement of a text that may have several.
func (h *handler) multi(ctx context.Context, c *mysql.Conn, text string, callback mysql.ResultSpoolFn) (string, error) {
	s := h.g.session(c.ConnectionID)
	if s == nil {
		return "", session.ErrGone
	}
	a := s.packet.take(text)
	if a == nil && opensTransaction(s, text) && h.whole(ctx, c, s, text) {
		a = s.packet.take(text)
	}
	if a == nil {
		rest, err := h.execute(ctx, c, textRequest(text, true), callback)
		s.packet.answers = append(s.packet.answers, s.packet.furtherSets()...)
		return rest, err
	}
	return a.give(c, s, callback)
}

// furtherSets are the answers of a procedure behind its first.
func (p *packet) furtherSets() (sets []*answer) {
	sets, p.sets = p.sets, nil
	return sets
}

// whole does the statements of a transaction up to its end, or that of the packet,
// and keeps their answers. False: nothing was done, for they are too much to keep.
func (h *handler) whole(ctx context.Context, c *mysql.Conn, s *Session, text string) bool {
	if untilWon(ctx, s, func(ctx context.Context) *answer { return h.through(ctx, c, s, text) }) {
		return true
	}
	s.packet.live = text
	return false
}

// untilWon has several statements done until they have not lost, or it is not worth while; do gives
// the answer to the last of them that was done. False: nothing was done, for their answers are more
// than are held.
func untilWon(ctx context.Context, s *Session, do func(context.Context) *answer) bool {
	s.inside.Add(1)
	defer s.inside.Add(-1)
	ctx = s.interruption.Enter(ctx, time.Now(), false)
	defer s.interruption.Leave()
	before, began, p := stateOf(s), time.Now(), &s.packet
	p.held, p.lasting, p.settings, p.database = true, false, s.Settings, s.GetCurrentDatabase()
	defer func() { p.held, p.again, p.single = false, false, false; forsake(s) }()
	for try := 0; ; try++ {
		p.beyond, p.again, p.spoilt = false, try > 0, false
		last := do(ctx)
		switch {
		case p.beyond:
		case last.err == nil || p.fixed(s):
			return true
		case !session.Worthwhile(s.failed) && p.anew(s):
			p.single = true
		case !session.Worthwhile(s.failed) || !s.Chosen().Patient(s.statement.notFinal, s.failed, try, began):
			return true
		case !s.place.Backoff(ctx, catalog.Pause(try)):
			last.err = interrupted(s.interruption.Reason())
			return true
		default:
			reloadIfStale(ctx, s.gateway.store, s.failed)
		}
		p.drop()
		p.ahead = nil
		s.abandon()
		before.restore(s)
		if p.beyond {
			return false
		}
	}
}

// fixed reports whether what was done of the packet so far cannot be done again.
func (p *packet) fixed(s *Session) bool {
	st := &s.statement
	return p.lasting || st.alters || st.committed || st.lasting || s.Settings != p.settings || s.GetCurrentDatabase() != p.database
}

// through does the statements one after the other, as the wire library would, and
// gives the last answer.
func (h *handler) through(ctx context.Context, c *mysql.Conn, s *Session, text string) *answer {
	for p := &s.packet; ; {
		a := &answer{text: text, results: results{s: s}}
		a.rest, a.err = h.execute(ctx, c, textRequest(text, true), func(r *sqltypes.Result, more bool) error {
			if err := a.results.add(r, more); err != nil {
				return err
			}
			if p.bytes()+a.results.bytes > packetHeldBytes && !p.fixed(s) && !session.SaysLasting(text) {
				p.beyond = true
				return errBeyond
			}
			return nil
		})
		a.flags, a.warnings = c.StatusFlags, h.Handler.WarningCount(c)
		p.lasting = p.fixed(s) || session.SaysLasting(text[:max(0, len(text)-len(a.rest))])
		p.answers = append(p.answers, a)
		if sets := p.furtherSets(); len(sets) > 0 {
			p.answers, a = append(p.answers, sets...), sets[len(sets)-1]
		}
		if a.err != nil || a.rest == "" || !inTransaction(s) {
			return a
		}
		text = a.rest
	}
}

// bytes are those of the answers that are kept.
func (p *packet) bytes() (n int64) {
	for _, a := range p.answers {
		n += a.results.bytes
	}
	return n
}

// take gives the answer to the statement that is asked for, if it is at hand.
func (p *packet) take(text string) *answer {
	if len(p.answers) == 0 {
		return nil
	}
	a := p.answers[0]
	if a.text != text {
		p.drop() // the client has sent something else: the answers were to a packet that was cut
		return nil
	}
	p.answers = p.answers[1:]
	return a
}

// drop forgets the answers.
func (p *packet) drop() {
	for _, a := range p.answers {
		a.results.drop()
	}
	p.answers = nil
}

// give answers as if the statement had just been done.
func (a *answer) give(c *mysql.Conn, s *Session, callback mysql.ResultSpoolFn) (string, error) {
	c.StatusFlags, s.packet.warnings = a.flags, &a.warnings
	defer a.results.drop()
	if a.err == nil {
		a.err = a.results.flush(callback)
	}
	return a.rest, a.err
}

// WarningCount implements mysql.Handler.
func (h *handler) WarningCount(c *mysql.Conn) uint16 {
	if s := h.g.session(c.ConnectionID); s != nil && s.packet.warnings != nil {
		return *s.packet.warnings
	}
	return h.Handler.WarningCount(c)
}
