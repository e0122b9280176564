package history

import (
	"bytes"
	"reflect"
	"strings"
	"testing"
)

func TestFile(t *testing.T) {
	h := hist("rx ax1", "fail:ax2", "final:rx1")
	var buf bytes.Buffer
	if err := Save(&buf, "list-append", h); err != nil {
		t.Fatal(err)
	}
	whole := buf.String()
	back, workload, err := Load(strings.NewReader(whole))
	if err != nil || workload != "list-append" || !reflect.DeepEqual(h, back) {
		t.Fatalf("read back as %v of %q, %v", back, workload, err)
	}
	lines := strings.SplitAfter(whole, "\n")
	for _, c := range []struct{ name, text, say string }{
		{"empty", "", "no recorded history"},
		{"of another kind", "{\"a\":1}\n", "no recorded history"},
		{"text", "hello\n", "no recorded history"},
		{"of a later format", "{\"isochron_history\":9}\n", "format 9"},
		{"cut in a line", whole[:len(whole)/2], "cut short"},
		{"cut between lines", strings.Join(lines[:3], ""), "cut short"},
		{"a line lost", lines[0] + strings.Join(lines[2:], ""), "damaged"},
		{"something after the end", whole + lines[1], "damaged"},
	} {
		if _, _, err := Load(strings.NewReader(c.text)); err == nil || !strings.Contains(err.Error(), c.say) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
