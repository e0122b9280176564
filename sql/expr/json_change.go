package expr

import (
	"slices"

	"vitess.io/vitess/go/vt/sqlparser"
)

// Functions that change documents (the manual's 14.17.4).

// jsonModifiers are those with pairs of paths and values.
var jsonModifiers = map[sqlparser.JSONValueModifierType]*Function{
	sqlparser.JSONArrayAppendType: jsonModifier("JSON_ARRAY_APPEND", appendAt),
	sqlparser.JSONArrayInsertType: jsonModifier("JSON_ARRAY_INSERT", insertAt),
	sqlparser.JSONInsertType: jsonModifier("JSON_INSERT", func(doc *jsonValue, p jsonPath, value func() (jsonValue, error)) error {
		return setAt(doc, p, value, true, false)
	}),
	sqlparser.JSONReplaceType: jsonModifier("JSON_REPLACE", func(doc *jsonValue, p jsonPath, value func() (jsonValue, error)) error {
		return setAt(doc, p, value, false, true)
	}),
	sqlparser.JSONSetType: jsonModifier("JSON_SET", func(doc *jsonValue, p jsonPath, value func() (jsonValue, error)) error {
		return setAt(doc, p, value, true, true)
	}),
}

var (
	jsonRemove        = &Function{Name: "JSON_REMOVE", Min: 2, Max: -1, Type: jsonType, Eval: jsonRemoveCall}
	jsonMergePatch    = &Function{Name: "JSON_MERGE_PATCH", Min: 2, Max: -1, Nulls: true, Type: jsonType, Eval: jsonMergePatchCall}
	jsonMergePreserve = &Function{Name: "JSON_MERGE_PRESERVE", Min: 2, Max: -1, Type: jsonType, Eval: jsonMergeCall}
	jsonMerge         = &Function{Name: "JSON_MERGE", Min: 2, Max: -1, Type: jsonType, Eval: func(c *Call) (Value, error) {
		c.Warn(1287, "'JSON_MERGE' is deprecated and will be removed in a future release. Please use JSON_MERGE_PRESERVE/JSON_MERGE_PATCH instead")
		return jsonMergeCall(c)
	}}
)

func init() {
	registerNode(func(e *sqlparser.JSONValueModifierExpr) (node, bool) {
		f := jsonModifiers[e.Type]
		return node{function: f, args: pairs([]sqlparser.Expr{e.JSONDoc}, e.Params)}, f != nil
	})
	registerNode(func(e *sqlparser.JSONRemoveExpr) (node, bool) {
		return node{function: jsonRemove, args: join([]sqlparser.Expr{e.JSONDoc}, e.PathList)}, true
	})
	registerNode(func(e *sqlparser.JSONValueMergeExpr) (node, bool) {
		f := jsonMergePreserve
		switch e.Type {
		case sqlparser.JSONMergePatchType:
			f = jsonMergePatch
		case sqlparser.JSONMergeType:
			f = jsonMerge
		}
		return node{function: f, args: join([]sqlparser.Expr{e.JSONDoc}, e.JSONDocList)}, true
	})
}

// jsonModifier is a function that changes a document at each of several paths. change asks for the value, which is then
// computed, if it has a place.
func jsonModifier(name string, change func(doc *jsonValue, p jsonPath, value func() (jsonValue, error)) error) *Function {
	return &Function{Name: name, Min: 3, Max: -1, Type: jsonType, Ask: func(c *Call, need func(i int) error) (Value, error) {
		if err := need(0); err != nil || c.IsNull(0) {
			return Null, err
		}
		doc, err := c.document(0)
		if err != nil {
			return Null, err
		}
		for i := 1; i+1 < len(c.Args); i += 2 {
			if err := need(i); err != nil || c.IsNull(i) {
				return Null, err
			}
			p, err := c.path(i, true)
			if err != nil {
				return Null, err
			}
			value := func() (jsonValue, error) {
				if err := need(i + 1); err != nil {
					return jsonValue{}, err
				}
				return c.jsonOf(i + 1)
			}
			if err := change(&doc, p, value); err != nil {
				return Null, err
			}
		}
		return c.json(&doc)
	}}
}

// setAt adds a value at a path where there is none, or replaces the one there.
func setAt(doc *jsonValue, p jsonPath, value func() (jsonValue, error), add, replace bool) error {
	if old := p.one(doc); old != nil {
		if !replace {
			return nil
		}
		v, err := value()
		if err == nil {
			*old = v
		}
		return err
	}
	if !add {
		return nil
	}
	parent := p[:len(p)-1].one(doc)
	if parent == nil {
		return nil
	}
	leg := &p[len(p)-1]
	if leg.kind == legMember && parent.kind != jsonObject {
		return nil
	}
	v, err := value()
	if err != nil {
		return err
	}
	if leg.kind == legMember {
		parent.setMember(leg.key, v)
		return nil
	}
	if parent.kind != jsonArray {
		*parent = jsonArrayOf(*parent)
	}
	parent.insert(leg.from.in(len(parent.in.values)), v)
	return nil
}

// insert puts a value into an array: at its end if the place is behind it, at its start if before.
func (v *jsonValue) insert(at int, one jsonValue) {
	at = max(0, min(at, len(v.in.values)))
	v.in.values = slices.Insert(v.in.values, at, one)
}

// appendAt appends a value to the array at a path; what is no array becomes one.
func appendAt(doc *jsonValue, p jsonPath, value func() (jsonValue, error)) error {
	old := p.one(doc)
	if old == nil {
		return nil
	}
	v, err := value()
	if err != nil {
		return err
	}
	if old.kind != jsonArray {
		*old = jsonArrayOf(*old)
	}
	old.in.values = append(old.in.values, v)
	return nil
}

// insertAt inserts a value into an array.
func insertAt(doc *jsonValue, p jsonPath, value func() (jsonValue, error)) error {
	if len(p) == 0 || p[len(p)-1].kind != legCell {
		return newError(3165, "42000", "A path expression is not a path to a cell in an array.")
	}
	if parent := p[:len(p)-1].one(doc); parent != nil && parent.kind == jsonArray {
		v, err := value()
		if err != nil {
			return err
		}
		parent.insert(p[len(p)-1].from.in(len(parent.in.values)), v)
	}
	return nil
}

func jsonRemoveCall(c *Call) (Value, error) {
	doc, err := c.document(0)
	if err != nil {
		return Null, err
	}
	for i := 1; i < len(c.Args); i++ {
		p, err := c.path(i, true)
		if err != nil {
			return Null, err
		}
		if len(p) == 0 {
			return Null, newError(3153, "42000", "The path expression '$' is not allowed in this context.")
		}
		removeAt(&doc, p)
	}
	return c.json(&doc)
}

func removeAt(doc *jsonValue, p jsonPath) {
	parent, leg := p[:len(p)-1].one(doc), &p[len(p)-1]
	switch {
	case parent == nil:
	case leg.kind == legMember && parent.kind == jsonObject:
		parent.removeMember(leg.key)
	case leg.kind == legCell && parent.kind == jsonArray:
		if i := leg.from.in(len(parent.in.values)); i >= 0 && i < len(parent.in.values) {
			parent.in.values = slices.Delete(parent.in.values, i, i+1)
		}
	}
}

func jsonMergeCall(c *Call) (Value, error) {
	doc, err := c.document(0)
	if err != nil {
		return Null, err
	}
	for i := 1; i < len(c.Args); i++ {
		v, err := c.document(i)
		if err != nil {
			return Null, err
		}
		doc = merged(doc, v)
	}
	return c.json(&doc)
}

// merged joins two arrays, or two objects with their common members merged; others are arrays of one.
func merged(a, b jsonValue) jsonValue {
	if a.kind == jsonObject && b.kind == jsonObject {
		var add jsonInside
		for i, key := range b.in.keys {
			if m := a.member(key); m != nil {
				*m = merged(*m, b.in.values[i])
			} else {
				add.keys, add.values = append(add.keys, key), append(add.values, b.in.values[i])
			}
		}
		if len(add.keys) <= 4 {
			for i, key := range add.keys {
				a.setMember(key, add.values[i])
			}
			return a
		}
		a.in.keys, a.in.values = append(a.in.keys, add.keys...), append(a.in.values, add.values...)
		a.in.sortMembers()
		return a
	}
	if a.kind != jsonArray {
		a = jsonArrayOf(a)
	}
	a.in.values = append(a.in.values, b.elements()...)
	return a
}

// jsonMergePatchCall is JSON_MERGE_PATCH. After NULL the result is NULL, unless what follows is no object.
func jsonMergePatchCall(c *Call) (Value, error) {
	var doc jsonValue
	null := false
	for i := range c.Args {
		if c.IsNull(i) {
			null = true
			continue
		}
		v, err := c.document(i)
		if err != nil {
			return Null, err
		}
		switch {
		case v.kind != jsonObject:
			doc, null = v, false
		case i == 0:
			doc = v
		case !null:
			doc = patched(doc, v)
		}
	}
	if null {
		return Null, nil
	}
	return c.json(&doc)
}

// patched is a document with the members of a patch, by RFC 7396: null removes a member.
func patched(doc, patch jsonValue) jsonValue {
	if patch.kind != jsonObject {
		return patch
	}
	if doc.kind != jsonObject {
		doc = jsonValue{kind: jsonObject, in: &jsonInside{}}
	}
	out := &jsonInside{}
	for i, key := range doc.in.keys { // members without a patch
		if patch.member(key) == nil {
			out.keys, out.values = append(out.keys, key), append(out.values, doc.in.values[i])
		}
	}
	for i, key := range patch.in.keys {
		if patch.in.values[i].kind == jsonNull {
			continue
		}
		var old jsonValue
		if m := doc.member(key); m != nil {
			old = *m
		}
		out.keys, out.values = append(out.keys, key), append(out.values, patched(old, patch.in.values[i]))
	}
	out.sortMembers()
	doc.in = out
	return doc
}
