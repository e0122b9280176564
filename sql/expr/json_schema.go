package expr

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"vitess.io/vitess/go/mysql/decimal"
	"vitess.io/vitess/go/vt/sqlparser"
)

// JSON_SCHEMA_VALID and JSON_SCHEMA_VALIDATION_REPORT: draft 4 of JSON Schema, with references inside the schema only.

var (
	jsonSchemaValid = &Function{Name: "JSON_SCHEMA_VALID", Min: 2, Max: 2, Type: integerType, Eval: func(c *Call) (Value, error) {
		s, err := c.schema()
		if err != nil {
			return Null, err
		}
		return Bool(s.failed == nil), nil
	}}
	jsonSchemaReport = &Function{Name: "JSON_SCHEMA_VALIDATION_REPORT", Min: 2, Max: 2, Type: jsonType, Eval: func(c *Call) (Value, error) {
		s, err := c.schema()
		if err != nil {
			return Null, err
		}
		return c.json(s.report())
	}}
)

func init() {
	registerNode(func(e *sqlparser.JSONSchemaValidFuncExpr) (node, bool) {
		return node{function: jsonSchemaValid, args: []sqlparser.Expr{e.Schema, e.Document}}, true
	})
	registerNode(func(e *sqlparser.JSONSchemaValidationReportFuncExpr) (node, bool) {
		return node{function: jsonSchemaReport, args: []sqlparser.Expr{e.Schema, e.Document}}, true
	})
}

// maxSchemaSteps bounds the pairs of a schema and a value that one call compares: references may lead to themselves.
const maxSchemaSteps = 1 << 18

// maxSchemaDepth bounds the references and schemas inside one another.
const maxSchemaDepth = 4 * maxJSONDepth

// schemaCheck is the validation of a document.
type schemaCheck struct {
	work     jsonWork
	root     *jsonValue
	steps    int
	err      error
	failed   *schemaFailure // the first
	patterns map[string]*regexp.Regexp
	enums    map[*jsonValue]map[string]bool // the keys of their values
}

// schemaFailure is a requirement that is not met.
type schemaFailure struct{ schema, document, keyword string }

// schemaPlace is a schema and the value that it is for.
type schemaPlace struct {
	schema, value *jsonValue
	up            *schemaPlace // what they are in; nil: they are the roots
	name, key     string       // of the schema and of the value in it, as parts of JSON pointers; "": it is the same one
	ref           string       // the whole location of the schema, if a reference led there
	depth         int
}

// locations are those of the schema and of the value, as JSON pointers.
func (p *schemaPlace) locations() (schema, value string) {
	var at, in []string
	known := false
	for ; p != nil; p = p.up {
		if p.key != "" {
			in = append(in, p.key)
		}
		switch {
		case known:
		case p.ref != "":
			at, known = append(at, strings.TrimPrefix(p.ref, "#/")), true
		case p.name != "":
			at = append(at, p.name)
		}
	}
	slices.Reverse(at)
	slices.Reverse(in)
	return strings.Join(append([]string{"#"}, at...), "/"), strings.Join(append([]string{"#"}, in...), "/")
}

func (c *Call) schema() (*schemaCheck, error) {
	schema, err := c.document(0)
	if err != nil {
		return nil, err
	}
	doc, err := c.document(1)
	if err != nil {
		return nil, err
	}
	if schema.kind != jsonObject {
		return nil, newError(3853, "22032", "Invalid JSON type in argument 1 to function %s; an object is required.", strings.ToLower(c.Function.Name))
	}
	s := &schemaCheck{work: jsonWork{call: c}, root: &schema, patterns: map[string]*regexp.Regexp{}, enums: map[*jsonValue]map[string]bool{}}
	s.check(schemaPlace{schema: &schema, value: &doc})
	if s.work.err != nil {
		return nil, s.work.err
	}
	return s, s.err
}

// report is what JSON_SCHEMA_VALIDATION_REPORT returns.
func (s *schemaCheck) report() *jsonValue {
	out := jsonValue{kind: jsonObject, in: &jsonInside{}}
	out.setMember("valid", jsonTrue(s.failed == nil))
	if f := s.failed; f != nil {
		out.setMember("reason", jsonText("The JSON document location '"+f.document+"' failed requirement '"+f.keyword+"' at JSON Schema location '"+f.schema+"'"))
		out.setMember("schema-location", jsonText(f.schema))
		out.setMember("document-location", jsonText(f.document))
		out.setMember("schema-failed-keyword", jsonText(f.keyword))
	}
	return &out
}

// check reports whether a value meets a schema, and keeps the first requirement that it does not.
func (s *schemaCheck) check(p schemaPlace) bool {
	if s.steps++; s.steps > maxSchemaSteps || p.depth > maxSchemaDepth {
		s.err = newError(1235, "42000", "This version doesn't yet support 'a JSON schema of more than %d steps or %d levels'", maxSchemaSteps, maxSchemaDepth)
	}
	if s.err != nil || !s.work.step() || p.schema.kind != jsonObject {
		return true
	}
	if ref := p.schema.member("$ref"); ref != nil && ref.kind == jsonString {
		return s.reference(p, ref.text)
	}
	for i, keyword := range p.schema.in.keys {
		check := schemaKeywords[keyword]
		if check != nil && !check(s, p, &p.schema.in.values[i]) {
			if s.failed == nil {
				at, in := p.locations()
				s.failed = &schemaFailure{at, in, keyword}
			}
			return false
		}
	}
	return true
}

// quietly checks without keeping what fails: the schema is one of several.
func (s *schemaCheck) quietly(p schemaPlace) bool {
	kept := s.failed
	ok := s.check(p)
	s.failed = kept
	return ok
}

// reference follows a JSON pointer into the schema.
func (s *schemaCheck) reference(p schemaPlace, ref string) bool {
	pointer, local := strings.CutPrefix(ref, "#")
	if !local {
		s.err = newError(1235, "42000", "This version of MySQL doesn't yet support 'references to external resources in JSON schema'")
		return true
	}
	v := s.root
	for _, part := range strings.Split(pointer, "/")[1:] {
		part = strings.ReplaceAll(strings.ReplaceAll(part, "~1", "/"), "~0", "~")
		if v.kind == jsonArray {
			i, err := strconv.Atoi(part)
			if err != nil || i < 0 || i >= len(v.in.values) {
				return true
			}
			v = &v.in.values[i]
		} else if v = v.member(part); v == nil {
			return true // a reference to nothing requires nothing
		}
	}
	return s.check(schemaPlace{schema: v, value: p.value, up: &p, ref: ref, depth: p.depth + 1})
}

// inside is a schema inside one, for the same value.
func (p schemaPlace) inside(schema *jsonValue, name string) schemaPlace {
	return schemaPlace{schema: schema, value: p.value, up: &p, name: name, depth: p.depth + 1}
}

// part is a schema inside one, for a part of the value.
func (p schemaPlace) part(schema *jsonValue, name string, value *jsonValue, key string) schemaPlace {
	return schemaPlace{schema: schema, value: value, up: &p, name: name, key: key, depth: p.depth + 1}
}

// pattern is a regular expression; nil: it is none, and requires nothing.
func (s *schemaCheck) pattern(text string) *regexp.Regexp {
	re, ok := s.patterns[text]
	if !ok && len(text) <= longestTemporal {
		re, _ = regexp.Compile(text)
		s.patterns[text] = re
	}
	return re
}

// schemaKeywords check one requirement each; false: it is not met.
var schemaKeywords map[string]func(s *schemaCheck, p schemaPlace, v *jsonValue) bool

func init() {
	schemaKeywords = map[string]func(s *schemaCheck, p schemaPlace, v *jsonValue) bool{
		"type":                 (*schemaCheck).hasType,
		"enum":                 (*schemaCheck).oneOfValues,
		"allOf":                (*schemaCheck).allOf,
		"anyOf":                (*schemaCheck).anyOf,
		"oneOf":                (*schemaCheck).oneOf,
		"not":                  (*schemaCheck).not,
		"properties":           (*schemaCheck).properties,
		"additionalProperties": (*schemaCheck).additionalProperties,
		"patternProperties":    (*schemaCheck).patternProperties,
		"required":             (*schemaCheck).required,
		"dependencies":         (*schemaCheck).dependencies,
		"items":                (*schemaCheck).items,
		"additionalItems":      (*schemaCheck).additionalItems,
		"uniqueItems":          (*schemaCheck).uniqueItems,
		"multipleOf":           (*schemaCheck).multipleOf,
		"minimum":              func(_ *schemaCheck, p schemaPlace, v *jsonValue) bool { return p.bounded(v, "exclusiveMinimum", 1) },
		"maximum":              func(_ *schemaCheck, p schemaPlace, v *jsonValue) bool { return p.bounded(v, "exclusiveMaximum", -1) },
		"minLength":            func(_ *schemaCheck, p schemaPlace, v *jsonValue) bool { return p.counted(jsonString, v, true) },
		"maxLength":            func(_ *schemaCheck, p schemaPlace, v *jsonValue) bool { return p.counted(jsonString, v, false) },
		"minItems":             func(_ *schemaCheck, p schemaPlace, v *jsonValue) bool { return p.counted(jsonArray, v, true) },
		"maxItems":             func(_ *schemaCheck, p schemaPlace, v *jsonValue) bool { return p.counted(jsonArray, v, false) },
		"minProperties":        func(_ *schemaCheck, p schemaPlace, v *jsonValue) bool { return p.counted(jsonObject, v, true) },
		"maxProperties":        func(_ *schemaCheck, p schemaPlace, v *jsonValue) bool { return p.counted(jsonObject, v, false) },
		"pattern": func(s *schemaCheck, p schemaPlace, v *jsonValue) bool {
			re := s.pattern(v.text)
			return p.value.kind != jsonString || v.kind != jsonString || re == nil || re.MatchString(p.value.text)
		},
	}
}

func (s *schemaCheck) hasType(p schemaPlace, v *jsonValue) bool {
	names := v.elements()
	for i := range names {
		switch kind := p.value.kind; names[i].text {
		case "null":
			if kind == jsonNull {
				return true
			}
		case "boolean":
			if kind == jsonBool {
				return true
			}
		case "integer":
			if kind == jsonInt || kind == jsonUint {
				return true
			}
		case "number":
			if p.value.isNumber() {
				return true
			}
		case "string":
			if kind == jsonString {
				return true
			}
		case "array":
			if kind == jsonArray {
				return true
			}
		case "object":
			if kind == jsonObject {
				return true
			}
		}
	}
	return false
}

func (s *schemaCheck) oneOfValues(p schemaPlace, v *jsonValue) bool {
	if v.kind != jsonArray {
		return true
	}
	keys := s.enums[v]
	if keys == nil {
		keys = map[string]bool{}
		for i := range v.in.values {
			keys[v.in.values[i].key()] = true
		}
		s.enums[v] = keys
	}
	return keys[p.value.key()]
}

// matching counts the schemas of a list that a value meets, up to most.
func (s *schemaCheck) matching(p schemaPlace, v *jsonValue, name string, most int) (n int) {
	for i := range v.in.values {
		if s.quietly(p.inside(&v.in.values[i], name+"/"+strconv.Itoa(i))) {
			if n++; n == most {
				break
			}
		}
	}
	return n
}

func (s *schemaCheck) allOf(p schemaPlace, v *jsonValue) bool {
	return v.kind != jsonArray || s.matching(p, v, "allOf", math.MaxInt) == len(v.in.values)
}

func (s *schemaCheck) anyOf(p schemaPlace, v *jsonValue) bool {
	return v.kind != jsonArray || s.matching(p, v, "anyOf", 1) == 1
}

func (s *schemaCheck) oneOf(p schemaPlace, v *jsonValue) bool {
	return v.kind != jsonArray || s.matching(p, v, "oneOf", 2) == 1
}

func (s *schemaCheck) not(p schemaPlace, v *jsonValue) bool {
	return v.kind != jsonObject || !s.quietly(p.inside(v, "not")) || s.err != nil
}

func (s *schemaCheck) properties(p schemaPlace, v *jsonValue) bool {
	if v.kind != jsonObject || p.value.kind != jsonObject {
		return true
	}
	for i, key := range v.in.keys {
		if m := p.value.member(key); m != nil && !s.check(p.part(&v.in.values[i], "properties/"+key, m, key)) {
			return false
		}
	}
	return true
}

func (s *schemaCheck) patternProperties(p schemaPlace, v *jsonValue) bool {
	if v.kind != jsonObject || p.value.kind != jsonObject {
		return true
	}
	for i, text := range v.in.keys {
		re := s.pattern(text)
		for j, key := range p.value.in.keys {
			if re != nil && s.work.step() && re.MatchString(key) && !s.check(p.part(&v.in.values[i], "patternProperties/"+text, &p.value.in.values[j], key)) {
				return false
			}
		}
	}
	return true
}

// additionalProperties is for members that neither properties nor patternProperties name.
func (s *schemaCheck) additionalProperties(p schemaPlace, v *jsonValue) bool {
	if p.value.kind != jsonObject || v.kind == jsonBool && v.text == "true" {
		return true
	}
	named, patterns := p.schema.member("properties"), p.schema.member("patternProperties")
	for i, key := range p.value.in.keys {
		if named != nil && named.member(key) != nil || s.patterned(patterns, key) {
			continue
		}
		if v.kind == jsonBool || !s.check(p.part(v, "additionalProperties", &p.value.in.values[i], key)) {
			return false
		}
	}
	return true
}

func (s *schemaCheck) patterned(patterns *jsonValue, key string) bool {
	if patterns == nil || patterns.kind != jsonObject {
		return false
	}
	for _, text := range patterns.in.keys {
		if re := s.pattern(text); re != nil && s.work.step() && re.MatchString(key) {
			return true
		}
	}
	return false
}

func (s *schemaCheck) required(p schemaPlace, v *jsonValue) bool {
	if v.kind != jsonArray || p.value.kind != jsonObject {
		return true
	}
	for i := range v.in.values {
		if one := &v.in.values[i]; s.work.step() && one.kind == jsonString && p.value.member(one.text) == nil {
			return false
		}
	}
	return true
}

// dependencies: a member requires other members, or a schema of its object.
func (s *schemaCheck) dependencies(p schemaPlace, v *jsonValue) bool {
	if v.kind != jsonObject || p.value.kind != jsonObject {
		return true
	}
	for i, key := range v.in.keys {
		if p.value.member(key) == nil {
			continue
		}
		one := &v.in.values[i]
		if one.kind == jsonArray && !s.required(p, one) || one.kind == jsonObject && !s.check(p.inside(one, "dependencies/"+key)) {
			return false
		}
	}
	return true
}

// items: a schema for all elements, or one for each of the first.
func (s *schemaCheck) items(p schemaPlace, v *jsonValue) bool {
	if p.value.kind != jsonArray {
		return true
	}
	for i := range p.value.in.values {
		one, name := v, "items"
		if v.kind == jsonArray {
			if i >= len(v.in.values) {
				return true
			}
			one, name = &v.in.values[i], "items/"+strconv.Itoa(i)
		}
		if !s.check(p.part(one, name, &p.value.in.values[i], strconv.Itoa(i))) {
			return false
		}
	}
	return true
}

// additionalItems is for elements behind those that items has schemas for.
func (s *schemaCheck) additionalItems(p schemaPlace, v *jsonValue) bool {
	first := p.schema.member("items")
	if p.value.kind != jsonArray || first == nil || first.kind != jsonArray || v.kind == jsonBool && v.text == "true" {
		return true
	}
	for i := len(first.in.values); i < len(p.value.in.values); i++ {
		if v.kind == jsonBool || !s.check(p.part(v, "additionalItems", &p.value.in.values[i], strconv.Itoa(i))) {
			return false
		}
	}
	return true
}

func (s *schemaCheck) uniqueItems(p schemaPlace, v *jsonValue) bool {
	if p.value.kind != jsonArray || v.text != "true" {
		return true
	}
	seen := map[string]bool{}
	for i := range p.value.in.values {
		key := p.value.in.values[i].key()
		if seen[key] {
			return false
		}
		seen[key] = true
	}
	return true
}

func (s *schemaCheck) multipleOf(p schemaPlace, v *jsonValue) bool {
	if !p.value.isNumber() || !v.isNumber() || v.float() <= 0 {
		return true
	}
	if math.Abs(p.value.float()/v.float()) > 1<<60 {
		return true // a double of that size has no digits left of the quotient's fraction
	}
	a, errA := decimal.NewFromMySQL([]byte(p.value.number()))
	b, errB := decimal.NewFromMySQL([]byte(v.number()))
	if errA != nil || errB != nil {
		return true
	}
	_, rest := a.QuoRem(b, 0)
	return rest.IsZero()
}

// bounded compares a number with a bound: it is one of more than -1 or less than 1 of sign, or the bound itself unless
// exclusive is true.
func (p schemaPlace) bounded(v *jsonValue, exclusive string, sign float64) bool {
	if !p.value.isNumber() || !v.isNumber() {
		return true
	}
	if p.value.number() == v.number() {
		e := p.schema.member(exclusive)
		return e == nil || e.text != "true"
	}
	return (p.value.float()-v.float())*sign >= 0
}

// counted compares the characters of a string, or the values in an array or object, with a least or greatest number.
func (p schemaPlace) counted(kind jsonKind, v *jsonValue, least bool) bool {
	if p.value.kind != kind || !v.isNumber() {
		return true
	}
	n := 0
	if kind == jsonString {
		n = utf8.RuneCountInString(p.value.text)
	} else {
		n = len(p.value.in.values)
	}
	if least {
		return float64(n) >= v.float()
	}
	return float64(n) <= v.float()
}
