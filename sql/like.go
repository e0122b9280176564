package sql

import (
	"context"
	"sync/atomic"
	"unicode/utf8"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"
)

// like is LIKE that can be cut short: it may take the length of the text times that of the
// pattern, of which each may have millions of characters. When what stands behind one %
// has been found, no other place for it can do better, so only the last % is ever moved.
type like struct {
	*expression.Like
	known atomic.Pointer[likePattern] // the last one
}

var (
	_ gms.Expression         = (*like)(nil)
	_ gms.CollationCoercible = (*like)(nil)
)

// WithChildren implements gms.Expression.
func (l *like) WithChildren(ctx *gms.Context, children ...gms.Expression) (gms.Expression, error) {
	e, err := l.Like.WithChildren(ctx, children...)
	if err != nil {
		return nil, err
	}
	return &like{Like: e.(*expression.Like)}, nil
}

// Eval implements gms.Expression.
func (l *like) Eval(ctx *gms.Context, row gms.Row) (any, error) {
	text, null, err := likeOperand(ctx, l.Left(), row)
	if null || err != nil {
		return nil, err
	}
	said, null, err := likeOperand(ctx, l.Right(), row)
	if null || err != nil {
		return nil, err
	}
	escape, err := l.escapedBy(ctx, row)
	if err != nil {
		return nil, err
	}
	collation, _ := l.CollationCoercibility(ctx)
	p := l.known.Load()
	if p == nil || p.said != said || p.escape != escape || p.collation != collation {
		if p, err = newLikePattern(collation, said, escape); err != nil {
			ctx.Warn(mysql.ERInvalidCharacterString, "%s", err.Error()) // as MySQL: no match, and a warning
			return nil, nil
		}
		l.known.Store(p)
	}
	return p.matches(ctx, text)
}

// likeOperand is one of the two texts.
func likeOperand(ctx *gms.Context, e gms.Expression, row gms.Row) (text string, null bool, err error) {
	v, err := e.Eval(ctx, row)
	if err == nil {
		v, err = gms.UnwrapAny(ctx, v)
	}
	if err != nil || v == nil {
		return "", v == nil, err
	}
	if s, ok := v.(string); ok {
		return s, false, nil
	}
	text, _, err = types.ConvertToCollatedString(ctx, v, e.Type(ctx))
	return text, false, err
}

// escapedBy is the character that takes the next one literally.
func (l *like) escapedBy(ctx *gms.Context, row gms.Row) (rune, error) {
	if l.Escape == nil {
		return '\\', nil
	}
	v, err := l.Escape.Eval(ctx, row)
	if err != nil || v == nil {
		return '\\', err
	}
	s, ok := v.(string)
	if !ok {
		if v, _, err = types.LongText.Convert(ctx, v); err != nil {
			return 0, err
		}
		s = v.(string)
	}
	runes := []rune(s[:min(len(s), 2*utf8.UTFMax)])
	switch len(runes) {
	case 0:
		return 0, nil
	case 1:
		return runes[0], nil
	}
	return 0, gms.ErrInvalidArgument.New("ESCAPE")
}

// likePattern is a pattern that was read.
type likePattern struct {
	said      string
	escape    rune
	collation gms.CollationID
	marks     []likeMark
}

// likeMark matches any characters, any one, or those of a weight.
type likeMark struct {
	any, one bool
	weight   int32
}

func newLikePattern(collation gms.CollationID, said string, escape rune) (*likePattern, error) {
	p := &likePattern{said: said, escape: escape, collation: collation}
	decode, weigh := collation.CharacterSet().Encoder(), collation.Sorter()
	next := func(i int) (rune, int, error) {
		r, n := decode.NextRune(said[i:])
		if r == utf8.RuneError && n <= 1 {
			return 0, 0, gms.ErrCharSetInvalidString.New(collation.CharacterSet().Name(), cut(said, messageMax))
		}
		return r, n, nil
	}
	for i := 0; i < len(said); {
		r, n, err := next(i)
		if err != nil {
			return nil, err
		}
		i += n
		switch r {
		case '_':
			p.marks = append(p.marks, likeMark{one: true})
		case '%':
			if n := len(p.marks); n == 0 || !p.marks[n-1].any {
				p.marks = append(p.marks, likeMark{any: true})
			}
		case escape:
			if r, n, err = next(i); err != nil {
				return nil, err
			}
			i += n
			fallthrough
		default:
			p.marks = append(p.marks, likeMark{weight: weigh(r)})
		}
	}
	return p, nil
}

// likeSteps are between two looks at whether the statement was cut short.
const likeSteps = 1 << 16

// matches reports whether a text is as the pattern says.
func (p *likePattern) matches(ctx *gms.Context, s string) (bool, error) {
	decode, weigh := p.collation.CharacterSet().Encoder(), p.collation.Sorter()
	i, m := 0, 0        // in the text, and in the marks
	from, mark := 0, -1 // where what stands behind the last % was looked for, and that %
	for steps := 1; i < len(s); steps++ {
		if steps%likeSteps == 0 && ctx.Err() != nil {
			return false, context.Cause(ctx)
		}
		r, n := decode.NextRune(s[i:])
		switch {
		case r == utf8.RuneError && n <= 1:
			return false, nil
		case m < len(p.marks) && p.marks[m].any:
			from, mark = i, m
			m++
		case m < len(p.marks) && (p.marks[m].one || p.marks[m].weight == weigh(r)):
			i += n
			m++
		case mark >= 0:
			_, n := decode.NextRune(s[from:])
			from += n
			i, m = from, mark+1
		default:
			return false, nil
		}
	}
	for m < len(p.marks) && p.marks[m].any {
		m++
	}
	return m == len(p.marks), nil
}
