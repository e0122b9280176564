package sql

import (
	"strings"

	"github.com/dolthub/vitess/go/mysql"
	querypb "github.com/dolthub/vitess/go/vt/proto/query"
	"vitess.io/vitess/go/mysql/collations/charset"
	"vitess.io/vitess/go/mysql/collations/colldata"

	"isochron/sql/expr"
)

// Texts of a client: statements and parameters are in character_set_client, and in UTF-8 here.

// clientCharsetOf is the set of a value of character_set_client; nil: texts are in UTF-8, or stay as they are.
func clientCharsetOf(name string) charset.Charset {
	switch name = strings.ToLower(name); name {
	case "", "binary", "utf8", "utf8mb3", "utf8mb4", "ascii":
		return nil
	}
	of := colldata.Lookup(expr.Environment().CollationEnv().DefaultCollationForCharset(name))
	if of == nil {
		return nil
	}
	return of.Charset()
}

// received is a text of the client in UTF-8, with ? for what is no character.
func (s *Session) received(text string) string {
	set := s.coreSettings().client
	if set == nil {
		return text
	}
	out, _ := charset.Convert(nil, charset.Charset_utf8mb4{}, []byte(text), set)
	return string(out)
}

// receiveParameters has the texts among the values of an execution in UTF-8; BLOBs are bytes.
func (s *Session) receiveParameters(p *mysql.PrepareData) {
	if s.coreSettings().client == nil {
		return
	}
	for i, sent := range p.ParamsType {
		t, v := querypb.Type(sent), p.BindVars[paramName(i)]
		if v != nil && v.Type != querypb.Type_NULL_TYPE && (t == querypb.Type_VARCHAR || t == querypb.Type_CHAR) {
			v.Value = []byte(s.received(string(v.Value)))
		}
	}
}
