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
	for _, c := range []struct{ name, text, message string }{
		{"empty", "", "not a recorded history"},
		{"of another kind", "{\"a\":1}\n", "not a recorded history"},
		{"text", "hello\n", "not a recorded history"},
		{"of a later format", "{\"isochron_history\":9}\n", "format 9"},
		{"cut in a line", whole[:len(whole)/2], "cut short"},
		{"cut between lines", strings.Join(lines[:3], ""), "cut short"},
		{"a line lost", lines[0] + strings.Join(lines[2:], ""), "damaged"},
		{"something after the end", whole + lines[1], "damaged"},
		{"an outcome there is not", strings.Replace(whole, `"fail"`, `"maybe"`, 1), "line 3: the outcome"},
		{"a step there is not", strings.Replace(whole, `"append"`, `"prepend"`, 1), "line 2: unknown kind of operation"},
		{"an end before the beginning", strings.Replace(whole, `"invoke_ns":0`, `"invoke_ns":2000`, 1), "line 2: it ended"},
	} {
		if _, _, err := Load(strings.NewReader(c.text)); err == nil || !strings.Contains(err.Error(), c.message) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestRegistersInAFile(t *testing.T) {
	h := regs("gx0 px1 @7", "fail:px2", "unknown:gx1 px3", "final:gx3")
	var buf bytes.Buffer
	if err := Save(&buf, "ycsb+t", h); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(buf.String(), `"at":7`) {
		t.Errorf("no timestamp in %s", &buf)
	}
	back, workload, err := Load(&buf)
	if err != nil || workload != "ycsb+t" || !reflect.DeepEqual(h, back) {
		t.Fatalf("read back as %v of %q, %v", back, workload, err)
	}
}

func TestCheckDependsOnTheSteps(t *testing.T) {
	both := hist("ax1 ry1", "ay1 rx1")
	for _, r := range regs("gz0 pz1", "gz0 pz2").Records {
		both.Add(r)
	}
	bank := new(History)
	bank.Add(&Record{Outcome: OK, Ops: []Op{{Kind: Transfer}}})
	for _, c := range []struct {
		name string
		h    *History
		want string
	}{
		{"nothing", new(History), ""},
		{"lists", hist("ax1 ry1", "ay1 rx1"), "G1c"},
		{"registers", regs("px1 gy1", "py1 gx1"), "G1c"},
		{"both", both, "G1c lost-update"},
		{"a bank", bank, "error"},
	} {
		got := "error"
		if report, err := Check(c.h); err == nil {
			got = names(report)
		}
		if got != c.want {
			t.Errorf("%s: found %q, want %q", c.name, got, c.want)
		}
	}
}
