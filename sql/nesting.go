package sql

import (
	"context"
	"strings"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"isochron/sql/sysvars"
)

// The engine's parser builds a tree whose depth the client chooses, and all that
// comes after goes down that tree by recursion. A stack that overflows ends the
// process, and no recover helps; so the depth is bounded before the parser sees a
// text, by counting its tokens without recursion.
const (
	depthVariable  = sysvars.StatementDepth
	depthDefault   = sysvars.StatementDepthDefault
	tokensVariable = sysvars.StatementTokens
	tokensDefault  = sysvars.StatementTokensDefault
)

// The engine's time for a chain of these grows with the cube of its length, so each
// counts as several levels. The default lets 200 through.
const (
	armWeight      = 10 // of a set of rows, or of a table in a join
	quotientWeight = 10
)

// MySQL's number for a statement that needs more stack than there is.
const codeStack = 1436

// sizeMark is how the errors of a statement beyond a bound begin. The engine takes
// them for errors of syntax and puts words before them.
const sizeMark = "Statement too large: "

// sizeError is the error of a statement beyond a bound, if a text of an error says
// that it is one.
func sizeError(message string) *mysql.SQLError {
	at := strings.Index(message, sizeMark)
	if at < 0 {
		return nil
	}
	message = message[at:]
	code := codeStack
	if strings.Contains(message, tokensVariable) || strings.Contains(message, statementMemory) {
		code = codeCapacity
	}
	return mysql.NewSQLError(code, "HY000", "%s", message)
}

// checkSize refuses a statement that is too deep or has too many tokens.
func checkSize(ctx context.Context, query string, options sqlparser.ParserOptions) error {
	const least = 25 // no bound is lower than four times that
	if len(query) <= least {
		return nil
	}
	depth, tokens := bound(ctx, depthVariable, depthDefault), bound(ctx, tokensVariable, tokensDefault)
	if len(query) <= min(depth/4, tokens) {
		return nil // no token is shorter than a byte, and those that count more are few then
	}
	if looksAhead(query) > depth {
		return errTooDeep(depth)
	}
	n := measure(query, options, depth, tokens)
	if n.tokens > tokens {
		return mysql.NewSQLError(codeCapacity, "HY000", sizeMark+"it has more than %d words, values and signs (%s). Send it in parts", tokens, tokensVariable)
	}
	if n.depth > depth {
		return errTooDeep(depth)
	}
	if err := accountOf(ctx).Parse(n.tokens); err != nil {
		return mysql.NewSQLError(codeCapacity, "HY000", sizeMark+"its %d words, values and signs would take more memory than a statement may have (%s). Send it in parts", n.tokens, statementMemory)
	}
	return nil
}

func errTooDeep(depth int) error {
	return mysql.NewSQLError(codeStack, "HY000", sizeMark+"its expressions are nested, or chained by operators, deeper than %d (%s). Write lists with IN, or split it", depth, depthVariable)
}

// looksAhead is how often NOT or FOR stand one after the other at most. The tokenizer
// looks for the word behind each, and does that by recursion.
func looksAhead(query string) (most int) {
	run := 0
	for i := 0; i < len(query); i++ {
		if c := query[i]; c == ' ' || c == '\n' || c == '\r' || c == '\t' {
			continue
		}
		if i+3 <= len(query) && (strings.EqualFold(query[i:i+3], "not") || strings.EqualFold(query[i:i+3], "for")) {
			run++
			most = max(most, run)
			i += 2
			continue
		}
		run = 0
	}
	return most
}

// bound is a setting of the session, or of the process where there is no session.
func bound(ctx context.Context, name string, otherwise int) int {
	var v any
	if gctx, ok := ctx.(*gms.Context); ok && gctx.Session != nil {
		v, _ = gctx.GetSessionVariable(gctx, name)
	} else {
		_, v, _ = gms.SystemVariables.GetGlobal(name)
	}
	if n, ok := v.(int64); ok {
		return int(n)
	}
	return otherwise
}

// size is an upper bound of a tree's depth, and the number of tokens.
type size struct{ depth, tokens int }

// nest is what stands between two parentheses, or CASE and END, or all of the text.
// Each token but a lone value or name may make the tree deeper by one, whether it
// nests or stands in a chain (1+1+1 is a tree as deep as it is long). The elements of
// a list stand beside each other.
type nest struct {
	ops   int // in the element at hand
	below int // the deepest scope in the element at hand
	kept  int // of the whole scope: arms of UNION, joins, blocks, what WITH names
	most  int // of the elements before
	from  bool
	with  bool
	kase  bool
}

func (s *nest) next() {
	s.most = max(s.most, s.ops+s.below)
	s.ops, s.below = 0, 0
}

func (s *nest) depth() int { return s.kept + max(s.most, s.ops+s.below) + 1 }

// measure measures the first statement of a text; it stops where a bound is passed.
func measure(query string, options sqlparser.ParserOptions, depth, tokens int) size {
	t := sqlparser.NewStringTokenizer(query)
	if options.AnsiQuotes {
		t = sqlparser.NewStringTokenizerForAnsiQuotes(query)
	}
	t.PipesAsConcat = options.PipesAsConcat
	m := meter{nests: []nest{{}}}
	for {
		token, _ := t.Scan()
		if token == 0 || token == sqlparser.LEX_ERROR || token == ';' && !m.blocks {
			break
		}
		if token == sqlparser.COMMENT {
			continue
		}
		m.size.tokens++
		m.take(token)
		if m.size.tokens > tokens || len(m.nests) > depth {
			break
		}
	}
	m.size.depth = max(m.size.depth, len(m.nests))
	for len(m.nests) > 1 {
		m.pop()
	}
	m.size.depth = max(m.size.depth, m.nests[0].depth())
	return m.size
}

// meter goes through the tokens of a statement.
type meter struct {
	nests    []nest
	size     size
	previous int
	blocks   bool // it may hold a block of statements
}

func (m *meter) top() *nest { return &m.nests[len(m.nests)-1] }

func (m *meter) pop() {
	if len(m.nests) == 1 {
		return // one too many: the parser will say so
	}
	d := m.top().depth()
	m.nests = m.nests[:len(m.nests)-1]
	if s := m.top(); s.with {
		s.kept += d // one may be made of the other
	} else {
		s.below = max(s.below, d)
	}
}

func (m *meter) take(token int) {
	s, before := m.top(), m.previous
	m.previous = token
	switch token {
	case '(':
		m.nests = append(m.nests, nest{})
	case ')':
		for len(m.nests) > 1 && m.top().kase {
			m.pop()
		}
		m.pop()
	case ',':
		if s.from {
			s.kept += armWeight
		} else if s.with {
			s.kept++
		}
		s.next()
	case ';':
		s.next()
	case sqlparser.CASE:
		if before != sqlparser.END {
			s.ops++
			m.nests = append(m.nests, nest{kase: true})
		}
	case sqlparser.WHEN, sqlparser.THEN, sqlparser.ELSE:
		if s.kase {
			s.next()
		} else {
			s.ops++
		}
	case sqlparser.END:
		if s.kase {
			m.pop()
		} else {
			s.ops++
		}
	default:
		m.word(s, token, before)
	}
}

func (m *meter) word(s *nest, token, before int) {
	switch token {
	case sqlparser.UNION, sqlparser.INTERSECT, sqlparser.EXCEPT:
		s.kept += armWeight
		s.from = false
	case sqlparser.JOIN, sqlparser.STRAIGHT_JOIN:
		s.kept += armWeight
	case '/', '%', sqlparser.DIV, sqlparser.MOD:
		s.ops += quotientWeight
	case sqlparser.FROM, sqlparser.UPDATE:
		s.from = true
		s.ops++
	case sqlparser.WITH:
		s.with = true
		s.ops++
	case sqlparser.SELECT, sqlparser.WHERE, sqlparser.GROUP, sqlparser.HAVING, sqlparser.ORDER, sqlparser.LIMIT, sqlparser.SET, sqlparser.VALUES:
		s.from, s.with = false, false
		s.ops++
	case sqlparser.CREATE, sqlparser.ALTER:
		m.blocks = true
		s.ops++
	case sqlparser.BEGIN, sqlparser.IF, sqlparser.LOOP, sqlparser.WHILE, sqlparser.REPEAT:
		if m.blocks {
			s.kept++
		} else {
			s.ops++
		}
	case '.':
	default:
		if !isValue(token) || isValue(before) {
			s.ops++
		}
	}
}

// isValue reports whether a token is a value or a name, which nests nothing.
func isValue(token int) bool {
	switch token {
	case sqlparser.ID, sqlparser.STRING, sqlparser.INTEGRAL, sqlparser.DECIMAL, sqlparser.FLOAT, sqlparser.HEXNUM, sqlparser.HEX,
		sqlparser.BIT_LITERAL, sqlparser.VALUE_ARG, sqlparser.LIST_ARG, sqlparser.NULL, sqlparser.TRUE, sqlparser.FALSE:
		return true
	}
	return false
}
