package expr

import (
	"testing"

	"vitess.io/vitess/go/sqltypes"
)

func TestFloatsAreShownShortAndSentWhole(t *testing.T) {
	f := sqltypes.MakeTrusted(sqltypes.Float32, []byte("16777216"))
	if got := Display(f, shortFloat).ToString(); got != "16777200" {
		t.Errorf("shown as %s", got)
	}
	if got := Text(f).ToString(); got != "16777200" {
		t.Errorf("as a text %s", got)
	}
	if got := Exact(f, shortFloat).ToString(); got != "16777216" {
		t.Errorf("sent as %s", got)
	}
	d := sqltypes.NewFloat64(16777216)
	if got := Text(d).ToString(); got != d.ToString() {
		t.Errorf("a double as a text is %s", got)
	}
}
