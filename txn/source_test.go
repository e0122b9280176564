package txn

import (
	"reflect"
	"strings"
	"testing"
)

func TestASchemaIsBounded(t *testing.T) {
	var s SourceSchema
	for range SourceTablesMax + 5 {
		s.Tables = append(s.Tables, SourceTable{Name: "t", Columns: []Column{{Name: "id", Type: "bigint"}}})
	}
	if s.Fit(); len(s.Tables) != SourceTablesMax || !s.More {
		t.Errorf("%d tables, more: %v", len(s.Tables), s.More)
	}
	wide := SourceSchema{Tables: make([]SourceTable, 4)}
	for i := range wide.Tables {
		wide.Tables[i] = SourceTable{Columns: []Column{{Name: strings.Repeat("x", sourceBytesMax/3)}}}
	}
	if wide.Fit(); len(wide.Tables) != 2 || !wide.More {
		t.Errorf("%d wide tables, more: %v", len(wide.Tables), wide.More)
	}
	few := SourceSchema{Tables: []SourceTable{{Name: "t"}}}
	if few.Fit(); len(few.Tables) != 1 || few.More {
		t.Error("tables within the bounds were removed")
	}
}

func TestQuestionsToSourcesSurviveTheCodec(t *testing.T) {
	for _, m := range []Message{
		{SourceQuery: &SourceQuery{Shard: 3, Request: 9, Kind: SourceResolve, Name: "isochron1.a.b"}},
		{SourceReply: &SourceReply{Shard: 3, Request: 9, InDoubt: []InDoubtBranch{{ID: 3, Name: "n", AgeNanos: 5, Gateway: 2, RecordShard: 4, Txn: ID{1, 2, 3}}}}},
		{SourceReply: &SourceReply{Schema: &SourceSchema{Dialect: "mysql", PreparedMax: -1, Tables: []SourceTable{{Schema: "s", Name: "t", Columns: []Column{{Name: "id", Auto: true}}, Key: []string{"id"}, Unique: [][]string{{"a", "b"}}}}}}},
	} {
		var back Message
		if err := Decode(Encode(&m), &back); err != nil || !reflect.DeepEqual(m, back) {
			t.Errorf("sent %+v, got %+v, %v", m, back, err)
		}
	}
}
