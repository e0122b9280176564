package dialect

import (
	"regexp"
	"strings"

	"isochron/sql/parse"
)

// Bounds of a text. All steps after the parser go down the tree by recursion, so its depth is bounded
// before, by a lexer that does not recurse.
const (
	textMax  = 16 << 20 // bytes
	depthMax = 1000     // brackets, and operators chained between two commas
	runMax   = 100      // texts one after the other, which are one text

	// MySQL's own bounds, and one of ours on the tables of a whole statement.
	joinMax    = 61   // tables in one FROM
	columnsMax = 4096 // columns of a query or a table
	tablesMax  = 1000
)

// facts are of a statement's text, not of its tree.
type facts struct {
	last   bool // it contains the hint of the last round
	places int  // placeholders
	// commits and begins: it is COMMIT; BEGIN or START TRANSACTION.
	commits, begins bool
}

// bounded reads a text for the bounds. What the parser reads otherwise than MySQL (// as a comment,
// :name as a placeholder) is refused, and so are comments whose content runs.
func bounded(text string, m parse.Mode) (facts, error) {
	if len(text) > textMax {
		return facts{}, syntax("the text has %d bytes, and at most %d are read", len(text), textMax)
	}
	b := bounder{}
	r := reader(text, m)
	for first := true; ; first = false {
		from := r.At
		t := r.Next()
		if err := b.comments(text[from:t.From]); err != nil {
			return facts{}, err
		}
		if t.Kind == parse.End {
			return b.facts, nil
		}
		if first {
			b.commits, b.begins = t.Is("commit"), t.Is("begin") || t.Is("start")
		}
		if err := b.token(t, text[t.To:]); err != nil {
			return facts{}, err
		}
	}
}

type bounder struct {
	facts
	levels       []int // operators chained at each open bracket
	chain, total int
	texts        int // in a row
}

// noEffect matches comments that run and change nothing about any server's answer: every dump reads
// its tables with one.
var noEffect = regexp.MustCompile(`(?i)^/\*M?![0-9]*\s*SQL_NO_CACHE\s*\*/$`)

// comments reads what is between two tokens.
func (b *bounder) comments(text string) error {
	for i := 0; i < len(text); {
		start := i
		switch rest := text[i:]; {
		case strings.HasPrefix(rest, "/*"):
			i = parse.SkipTo(text, i+2, "*/")
		case rest[0] == '#' || rest[0] == '-':
			i = parse.SkipTo(text, i, "\n")
		default:
			i++
		}
		comment := text[start:i]
		switch runs := strings.HasPrefix(comment, "/*!") || strings.HasPrefix(comment, "/*M!"); {
		case runs && !noEffect.MatchString(comment):
			return &ErrNotTranslated{What: "a comment that runs (/*! ... */)", Reason: "whether it runs depends on a server's version, and a source has its own", Instead: "Write its content without the comment"}
		case strings.HasPrefix(comment, "/*+"):
			b.last = b.last || strings.EqualFold(strings.TrimSpace(strings.TrimSuffix(comment[3:], "*/")), "last")
		}
	}
	return nil
}

func (b *bounder) token(t parse.Token, rest string) error {
	if t.Kind != parse.Text {
		b.texts = 0
	}
	switch t.Kind {
	case parse.Text:
		if b.texts++; b.texts > runMax {
			return syntax("more than %d strings stand one after the other", runMax)
		}
	case parse.Word:
		if keywords[strings.ToLower(t.Text)] {
			return b.deeper()
		}
	case parse.Sign:
		return b.sign(t.Text, rest)
	}
	return nil
}

// keywords are the words that may chain expressions, joins or queries.
var keywords = words(`and or xor not div mod is in like between regexp rlike binary collate case when else interval union intersect except join straight_join
	select begin if while loop repeat with`)

func (b *bounder) deeper() error {
	b.chain++
	b.total++
	if b.total > depthMax {
		return syntax("it is nested, or chained by operators, deeper than %d. Write lists with IN, or split it", depthMax)
	}
	return nil
}

func (b *bounder) sign(sign, rest string) error {
	switch sign {
	case "(":
		b.levels = append(b.levels, b.chain)
		b.chain = 0
		return b.deeper()
	case ")":
		if n := len(b.levels); n > 0 {
			b.total -= b.chain
			b.chain = b.levels[n-1]
			b.levels = b.levels[:n-1]
		}
	case ",", ";":
		b.total -= b.chain
		b.chain = 0
	case ".":
	case "?":
		b.places++
	case "/":
		if strings.HasPrefix(rest, "/") {
			return syntax("there is no operator //")
		}
		return b.deeper()
	case ":":
		return syntax("there is no sign : here")
	default:
		return b.deeper()
	}
	return nil
}
