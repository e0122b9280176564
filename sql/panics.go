package sql

import (
	"context"
	"fmt"
	"hash/fnv"
	"log/slog"
	"runtime"
	"strings"

	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"isochron/sql/parse"
	"isochron/sql/session"
	"isochron/txn"
)

// The engine panics at arguments that were not thought of. Such a statement ends with
// error 1105 and a line in the log; its connection stays, and its client sees
// nothing of the engine's insides. Its transaction is rolled back as a whole: what the
// statement has read, written and locked until then is not known.

// panicMark is how the engine reports a panic of a goroutine of its own: with a trace.
const panicMark = "panic recovered: "

// schemaCheck does a part of a statement and makes errors of panics.
func (g *gateway) schemaCheck(s *Session, text string, do func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = g.panicked(s, text, fmt.Sprint(r), panicPlace())
		}
	}()
	err = do()
	if err == nil {
		return nil
	}
	if said := err.Error(); strings.Contains(said, panicMark) && strings.Contains(said, "goroutine ") {
		_, said, _ = strings.Cut(said, panicMark)
		said, trace, _ := strings.Cut(said, "\n")
		return g.panicked(s, text, said, tracePlace(trace))
	}
	return err
}

// panicked logs a panic, within the bounds of the log of slow transactions, and is
// the error that the client gets.
func (g *gateway) panicked(s *Session, text, said, place string) error {
	if s != nil {
		s.statement.panics()
	}
	return g.logPanic(s, text, said, place)
}

// logPanic does so where no more than the statement is to be rolled back.
func (g *gateway) logPanic(s *Session, text, said, place string) error {
	hash := fnv.New64a()
	shape := parse.Digest(session.Shortened(text))
	hash.Write([]byte(shape))
	number := fmt.Sprintf("%016x", hash.Sum64())
	if g.slow == nil {
		return errPanicked(number)
	}
	if skipped, ok := g.slow.admit(); ok {
		attrs := []slog.Attr{
			slog.String("digest", number), slog.String("statement", shape), slog.String("panic", cut(said, parse.DigestMaxBytes)), slog.String("at", place),
		}
		if s != nil {
			attrs = append(attrs, slog.String("user", s.Client().User), slog.String("client", g.remote(s.ID())))
		}
		if skipped > 0 {
			attrs = append(attrs, slog.Int("not_logged_before", skipped))
		}
		g.slow.log.LogAttrs(context.Background(), slog.LevelError, "the engine failed in a statement", attrs...)
	}
	return errPanicked(number)
}

// afterPanic rolls back the transaction of a statement that the engine has panicked at. Of
// an explicit one the client must learn that it is over, from the next statement or the commit.
func afterPanic(s *Session, err error) error {
	explicit := !s.statement.own && s.open.begun()
	if !explicit {
		s.end(nil)
		return err
	}
	s.doom(txn.Errorf(txn.KindAborted, "the engine failed in a statement of the transaction: all of it is rolled back"))
	return rolledBack(err)
}

func errPanicked(number string) error {
	return mysql.NewSQLError(codeUnspecified, "HY000", "The statement cannot be carried out: the engine fails at it. The connection stays; the node's log says more (digest %s)", number)
}

func cut(s string, most int) string { return strings.ToValidUTF8(s[:min(len(s), most)], "") }

// panicPlace is the function that panicked, asked of a deferred function.
func panicPlace() string {
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	for raised := false; ; {
		f, more := frames.Next()
		if raised && !strings.HasPrefix(f.Function, "runtime.") {
			return fmt.Sprintf("%s:%d", f.Function, f.Line)
		}
		raised = raised || f.Function == "runtime.gopanic"
		if !more {
			return "unknown"
		}
	}
}

// tracePlace is the function that panicked, read from a printed trace.
func tracePlace(trace string) string {
	raised := false
	for line := range strings.Lines(trace) {
		name, _, call := strings.Cut(strings.TrimSpace(line), "(")
		switch {
		case strings.HasPrefix(line, "panic("):
			raised = true
		case raised && call && !strings.HasPrefix(line, "\t") && !strings.HasPrefix(name, "runtime."):
			return cut(name, parse.DigestMaxBytes)
		}
	}
	return "unknown"
}

// prepareMaxBytes is the longest text that is prepared by the wire protocol: the
// wire library goes down its tree by recursion before the engine sees it.
const prepareMaxBytes = 256 << 10

// ParserOptionsForConnection implements mysql.Handler. The wire library asks for the
// options just before it parses what it is to prepare.
func (h *handler) ParserOptionsForConnection(c *mysql.Conn) (options sqlparser.ParserOptions, err error) {
	if below := connOf(c); below != nil && below.request.Load() > prepareMaxBytes {
		refusePrepare(c)
		return options, fmt.Errorf("a text of more than %d bytes is to be prepared", prepareMaxBytes)
	}
	err = h.g.schemaCheck(h.g.session(c.ConnectionID), "", func() (err error) {
		options, err = h.Handler.ParserOptionsForConnection(c)
		return err
	})
	return options, err
}

// refusePrepare answers in place of the wire library, which closes the connection.
func refusePrepare(c *mysql.Conn) {
	text := fmt.Sprintf("#08S01%sa statement of more than %d bytes cannot be prepared, and the connection is closed. Send it as text, or in parts", sizeMark, prepareMaxBytes)
	body := append([]byte{mysql.ErrPacket, byte(codeTooLong & 0xff), byte(codeTooLong >> 8)}, text...)
	_, _ = c.Conn.Write(append([]byte{byte(len(body)), byte(len(body) >> 8), 0, 1}, body...)) // it is closed next
}
