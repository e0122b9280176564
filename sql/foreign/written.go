package foreign

import (
	"errors"
	"slices"
	"strings"

	"isochron/sql/dialect"
	"isochron/txn"
)

// A text that differs from another in its values alone is not parsed again: its values are taken
// out, and its translation is kept with places for them.

// ErrAsWritten means that a statement whose values were taken out must be read as it was written.
var ErrAsWritten = errors.New("what is sent depends on more of the values than their places")

// ReadWritten is Read for a text whose values, of these kinds, have placeholders in their stead.
// Plans of it write them into the requests; where that is not as good as reading the client's own
// text, Plan fails with ErrAsWritten or another error.
func ReadWritten(text string, kinds []dialect.ValueKind, lookup Lookup, o dialect.Options) (*Statement, error) {
	s, err := Read(text, lookup, o)
	if s == nil || err != nil {
		return nil, err
	}
	s.kinds, s.templates = kinds, map[translating]*dialect.Template{}
	return s, nil
}

// Takes reports whether values of these kinds can be written into the statement.
func (s *Statement) Takes(kinds []dialect.ValueKind) bool {
	return s.kinds != nil && slices.Equal(s.kinds, kinds)
}

// sendFilled is send for a statement whose values are written into the request.
func (b *planning) sendFilled(source uint64, of dialect.Dialect, st *dialect.Statement) error {
	if st != b.s.Statement || b.s.session != "" {
		return ErrAsWritten
	}
	key := translating{source: source, share: b.now.Share, found: b.now.FoundRows}
	t, known := b.s.templates[key]
	if !known {
		t = dialect.NewTemplate(b.s.Text, b.s.kinds, of, b.s.at(source), b.translating(source, of))
		b.s.templates[key] = t
	}
	if t == nil {
		return ErrAsWritten
	}
	values := make([][]byte, len(b.args))
	for i := range b.args {
		values[i] = b.args[i].Text
	}
	b.sent(txn.SourceStatement{Source: txn.ShardID(source), Statement: statementOf(t.Fill(values))}, of, &t.Translation)
	return nil
}

// statementOf is a statement of a template's text.
func statementOf(filled string) txn.Statement {
	text, locked, _ := strings.Cut(filled, "\x00")
	return txn.Statement{Text: text, Locked: locked}
}
