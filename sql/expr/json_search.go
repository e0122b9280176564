package expr

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"vitess.io/vitess/go/vt/sqlparser"
)

// Functions that look into documents (the manual's 14.17.3).

var (
	jsonExtract      = &Function{Name: "JSON_EXTRACT", Min: 2, Max: -1, Type: jsonType, Eval: jsonExtractCall}
	jsonKeys         = &Function{Name: "JSON_KEYS", Min: 1, Max: 2, Type: jsonType, Eval: jsonKeysCall}
	jsonContains     = &Function{Name: "JSON_CONTAINS", Min: 2, Max: 3, Type: integerType, Eval: jsonContainsCall}
	jsonContainsPath = &Function{Name: "JSON_CONTAINS_PATH", Min: 3, Max: -1, Type: integerType, Ask: jsonContainsPathCall}
	jsonOverlaps     = &Function{Name: "JSON_OVERLAPS", Min: 2, Max: 2, Type: integerType, Eval: jsonOverlapsCall}
	jsonSearch       = &Function{Name: "JSON_SEARCH", Min: 3, Max: -1, Type: jsonType, Ask: jsonSearchCall}
	memberOf         = &Function{Name: "MEMBER OF", Min: 2, Max: 2, Type: integerType, Eval: memberOfCall}
)

func init() {
	registerNode(func(e *sqlparser.JSONExtractExpr) (node, bool) {
		return node{function: jsonExtract, args: join([]sqlparser.Expr{e.JSONDoc}, e.PathList)}, true
	})
	registerNode(func(e *sqlparser.JSONKeysExpr) (node, bool) {
		return node{function: jsonKeys, args: given(e.JSONDoc, e.Path)}, true
	})
	registerNode(func(e *sqlparser.JSONContainsExpr) (node, bool) {
		return node{function: jsonContains, args: join([]sqlparser.Expr{e.Target, e.Candidate}, e.PathList)}, true
	})
	registerNode(func(e *sqlparser.JSONContainsPathExpr) (node, bool) {
		return node{function: jsonContainsPath, args: join([]sqlparser.Expr{e.JSONDoc, e.OneOrAll}, e.PathList)}, true
	})
	registerNode(func(e *sqlparser.JSONOverlapsExpr) (node, bool) {
		return node{function: jsonOverlaps, args: []sqlparser.Expr{e.JSONDoc1, e.JSONDoc2}}, true
	})
	registerNode(func(e *sqlparser.JSONSearchExpr) (node, bool) {
		return node{function: jsonSearch, args: join(given(e.JSONDoc, e.OneOrAll, e.SearchStr, e.EscapeChar), e.PathList)}, true
	})
	registerNode(func(e *sqlparser.MemberOfExpr) (node, bool) {
		return node{function: memberOf, args: []sqlparser.Expr{e.Value, e.JSONArr}}, true
	})
}

func join(a, b []sqlparser.Expr) []sqlparser.Expr { return append(a[:len(a):len(a)], b...) }

func jsonExtractCall(c *Call) (Value, error) {
	doc, err := c.document(0)
	if err != nil {
		return Null, err
	}
	many := len(c.Args) > 2
	out := jsonArrayOf()
	for i := 1; i < len(c.Args); i++ {
		p, err := c.path(i, false)
		if err != nil {
			return Null, err
		}
		many = many || p.many()
		for _, v := range p.matches(&doc) {
			out.in.values = append(out.in.values, *v)
		}
		if n := 3 * len(out.in.values); c.TooLong(n - 2) { // a value has a character and two between it and the next
			return Null, nil
		}
	}
	switch {
	case len(out.in.values) == 0:
		return Null, nil
	case !many:
		return c.json(&out.in.values[0])
	}
	return c.json(&out)
}

// at is the value that the i-th argument, a path, leads to in a document; nil: there is none.
func (c *Call) at(doc *jsonValue, i int) (*jsonValue, error) {
	if i >= len(c.Args) {
		return doc, nil
	}
	p, err := c.path(i, true)
	if err != nil {
		return nil, err
	}
	return p.one(doc), nil
}

func jsonKeysCall(c *Call) (Value, error) {
	doc, err := c.document(0)
	if err != nil {
		return Null, err
	}
	v, err := c.at(&doc, 1)
	if err != nil || v == nil || v.kind != jsonObject {
		return Null, err
	}
	out := jsonArrayOf()
	for _, key := range v.in.keys {
		out.in.values = append(out.in.values, jsonText(key))
	}
	return c.json(&out)
}

func jsonContainsCall(c *Call) (Value, error) {
	target, err := c.document(0)
	if err != nil {
		return Null, err
	}
	candidate, err := c.document(1)
	if err != nil {
		return Null, err
	}
	v, err := c.at(&target, 2)
	if err != nil || v == nil {
		return Null, err
	}
	w := jsonWork{call: c}
	found := w.contains(v, &candidate)
	return Bool(found), w.err
}

// jsonWork counts the steps of a search, which ends when its statement does.
type jsonWork struct {
	call  *Call
	steps int
	err   error
}

// step counts a step; false: the statement has been ended.
func (w *jsonWork) step() bool {
	if w.steps++; w.steps&0xfff == 0 && w.err == nil {
		w.err = w.call.interrupted()
	}
	return w.err == nil
}

// contains reports whether a value contains a candidate: an array all elements of an array, or an element that contains
// the candidate; an object all members; others what they are equal to.
func (w *jsonWork) contains(v, candidate *jsonValue) bool {
	switch {
	case !w.step():
		return false
	case v.kind == jsonArray && candidate.kind == jsonArray:
		return w.containsAll(v, candidate)
	case v.kind == jsonArray:
		for i := range v.in.values {
			if w.contains(&v.in.values[i], candidate) {
				return true
			}
		}
		return false
	case v.kind == jsonObject && candidate.kind == jsonObject:
		for i, key := range candidate.in.keys {
			if m := v.member(key); m == nil || !w.contains(m, &candidate.in.values[i]) {
				return false
			}
		}
		return true
	}
	return !v.isContainer() && !candidate.isContainer() && v.key() == candidate.key()
}

// containsAll reports whether an array contains all elements of another. Scalars are looked up.
func (w *jsonWork) containsAll(v, candidate *jsonValue) bool {
	scalars := map[string]bool{}
	for i := range v.in.values {
		if one := &v.in.values[i]; !one.isContainer() && w.step() {
			scalars[one.key()] = true
		}
	}
	for i := range candidate.in.values {
		one := &candidate.in.values[i]
		if !one.isContainer() && scalars[one.key()] {
			continue
		}
		found := false
		for j := range v.in.values {
			if in := &v.in.values[j]; in.isContainer() && w.contains(in, one) {
				found = true
				break
			}
		}
		if !found {
			return false
		}
	}
	return true
}

func jsonContainsPathCall(c *Call, need func(i int) error) (Value, error) {
	for i := range 2 {
		if err := need(i); err != nil || c.IsNull(i) {
			return Null, err
		}
	}
	doc, err := c.document(0)
	if err != nil {
		return Null, err
	}
	all, err := c.all(1)
	if err != nil {
		return Null, err
	}
	for i := 2; i < len(c.Args); i++ {
		if err := need(i); err != nil || c.IsNull(i) {
			return Null, err
		}
		p, err := c.path(i, false)
		if err != nil {
			return Null, err
		}
		if found := len(p.matches(&doc)) > 0; found != all {
			return Bool(found), nil
		}
	}
	return Bool(all), nil
}

// jsonOverlapsCall is JSON_OVERLAPS: two arrays have an element, two objects a member, in common; a scalar is an array of
// one.
func jsonOverlapsCall(c *Call) (Value, error) {
	a, err := c.document(0)
	if err != nil {
		return Null, err
	}
	b, err := c.document(1)
	if err != nil {
		return Null, err
	}
	if a.kind == jsonObject && b.kind == jsonObject {
		for i, key := range a.in.keys {
			if m := b.member(key); m != nil && m.key() == a.in.values[i].key() {
				return Bool(true), nil
			}
		}
		return Bool(false), nil
	}
	have := map[string]bool{}
	for _, v := range a.elements() {
		have[v.key()] = true
	}
	for _, v := range b.elements() {
		if have[v.key()] {
			return Bool(true), nil
		}
	}
	return Bool(false), nil
}

// elements are those of an array; what is no array is one.
func (v *jsonValue) elements() []jsonValue {
	if v.kind == jsonArray {
		return v.in.values
	}
	return []jsonValue{*v}
}

func memberOfCall(c *Call) (Value, error) {
	v, err := c.jsonOf(0)
	if err != nil {
		return Null, err
	}
	list, err := c.document(1)
	if err != nil {
		return Null, err
	}
	key := v.key()
	for _, one := range list.elements() {
		if one.key() == key {
			return Bool(true), nil
		}
	}
	return Bool(false), nil
}

// jsonSearchCall is JSON_SEARCH: the paths to the strings that are like a pattern.
func jsonSearchCall(c *Call, need func(i int) error) (Value, error) {
	for i := range c.Args {
		if err := need(i); err != nil || i < 3 && c.IsNull(i) {
			return Null, err
		}
	}
	doc, err := c.document(0)
	if err != nil {
		return Null, err
	}
	all, err := c.all(1)
	if err != nil {
		return Null, err
	}
	escape := `\`
	if len(c.Args) > 3 && !c.IsNull(3) && c.Str(3) != "" {
		if escape = c.Str(3); utf8.RuneCountInString(escape) != 1 {
			return Null, newError(1210, "HY000", "Incorrect arguments to ESCAPE")
		}
	}
	s := &jsonSearcher{work: jsonWork{call: c}, pattern: parseLike(c.Str(2), escape), all: all, most: c.maxPacket()}
	if err := s.under(c, &doc); err != nil {
		return Null, err
	}
	if c.TooLong(s.bytes) {
		return Null, nil
	}
	switch len(s.found) {
	case 0:
		return Null, nil
	case 1:
		return c.json(&s.found[0])
	}
	out := jsonArrayOf(s.found...)
	return c.json(&out)
}

// jsonSearcher looks for strings in a document.
type jsonSearcher struct {
	work    jsonWork
	pattern likePattern
	all     bool
	most    int // bounds bytes
	bytes   int // of the paths found
	within  map[*jsonValue]bool
	found   []jsonValue
}

// under searches below the paths that the call has, or the whole document.
func (s *jsonSearcher) under(c *Call, doc *jsonValue) error {
	if len(c.Args) > 4 {
		s.within = map[*jsonValue]bool{}
	}
	for i := 4; i < len(c.Args); i++ {
		if c.IsNull(i) {
			return nil
		}
		p, err := c.path(i, false)
		if err != nil {
			return err
		}
		for _, v := range p.matches(doc) {
			s.within[v] = true
		}
	}
	s.search(doc, []byte("$"), s.within == nil)
	return s.work.err
}

// search adds the strings of a value that are like the pattern, at a path. in: the value is one to be searched.
func (s *jsonSearcher) search(v *jsonValue, path []byte, in bool) {
	if !s.work.step() || s.bytes > s.most || len(s.found) > 0 && !s.all {
		return
	}
	in = in || s.within[v]
	if v.kind == jsonString && in && s.pattern.matches(&s.work, v.text) {
		s.bytes += len(path) + 4
		s.found = append(s.found, jsonText(string(path)))
	}
	if v.in == nil {
		return
	}
	n := len(path)
	for i := range v.in.values {
		if v.kind == jsonObject {
			path = appendMember(path[:n], v.in.keys[i])
		} else {
			path = append(strconv.AppendInt(append(path[:n], '['), int64(i), 10), ']')
		}
		s.search(&v.in.values[i], path, in)
	}
}

// likePattern is a pattern of LIKE: the texts between its % signs.
type likePattern []likePart

// likePart is a text of a pattern, as runes where one is any character.
type likePart struct {
	text string
	any  []bool // of the text's runes: any character; nil: none is
}

func parseLike(pattern, escape string) likePattern {
	var list likePattern
	var any []bool
	var text []byte
	esc, _ := utf8.DecodeRuneInString(escape)
	runes, escaped := 0, false
	finish := func() {
		list = append(list, likePart{string(text), any})
		text, any, runes = text[:0], nil, 0
	}
	for _, r := range pattern {
		free := false
		switch {
		case escaped:
			escaped = false
		case r == esc:
			escaped = true
			continue
		case r == '%':
			finish()
			continue
		case r == '_':
			if any == nil {
				any = make([]bool, runes, runes+8)
			}
			free = true
		}
		text = utf8.AppendRune(text, r)
		runes++
		if any != nil {
			any = append(any, free)
		}
	}
	finish()
	return list
}

// prefix is the length of the part at the start of a text; -1: it is not there.
func (p *likePart) prefix(s string) int {
	if p.any == nil {
		if strings.HasPrefix(s, p.text) {
			return len(p.text)
		}
		return -1
	}
	at, i := 0, 0
	for _, want := range p.text {
		r, n := utf8.DecodeRuneInString(s[at:])
		if n == 0 || !p.any[i] && r != want {
			return -1
		}
		at += n
		i++
	}
	return at
}

// find is the place of a part in a text, and the end of it; -1: it is not there.
func (p *likePart) find(w *jsonWork, s string) (end int) {
	if p.any == nil {
		if i := strings.Index(s, p.text); i >= 0 {
			return i + len(p.text)
		}
		return -1
	}
	for at := range s {
		if len(p.text) > 1<<10 {
			w.steps |= 0xfff // the next comparison is long: look whether the statement has been ended
		}
		if !w.step() {
			return -1
		}
		if n := p.prefix(s[at:]); n >= 0 {
			return at + n
		}
	}
	return -1
}

// matches reports whether a text is like the pattern.
func (l likePattern) matches(w *jsonWork, s string) bool {
	n := l[0].prefix(s)
	if n < 0 || len(l) == 1 {
		return n == len(s) && n >= 0
	}
	s = s[n:]
	for i := 1; i < len(l)-1; i++ {
		end := l[i].find(w, s)
		if end < 0 {
			return false
		}
		s = s[end:]
	}
	return l[len(l)-1].ends(s)
}

// ends reports whether a text ends with a part.
func (p *likePart) ends(s string) bool {
	if p.any == nil {
		return strings.HasSuffix(s, p.text)
	}
	at := len(s)
	for range p.any {
		_, n := utf8.DecodeLastRuneInString(s[:at])
		if n == 0 {
			return false
		}
		at -= n
	}
	return p.prefix(s[at:]) == len(s)-at
}
