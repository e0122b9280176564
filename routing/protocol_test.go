package routing

import (
	"strings"
	"testing"
)

func TestASwitchIsBegunOnceAndEntered(t *testing.T) {
	var p Protocol
	want := Protocol{To: "b", DrainMillis: 10, LimitMillis: 20}
	for range 2 { // an order may be given twice
		if err := p.Begin("a", want); err != nil || p.Try != 1 || !p.Under() {
			t.Fatalf("%+v, %v", p, err)
		}
	}
	if err := p.Begin("a", Protocol{To: "c", LimitMillis: 1}); err == nil || !strings.Contains(err.Error(), "to b is under way") {
		t.Errorf("a second switch was begun: %v", err)
	}
	if p.Enter(2) || p.GiveUp(7, "") {
		t.Error("another try was ended")
	}
	if !p.Enter(1) || p.Name != "b" || p.Seq != 1 || p.Under() || p.Enter(1) {
		t.Errorf("%+v", p)
	}
	if err := p.Begin("b", want); err != nil || p.Under() {
		t.Errorf("a switch to what holds: %+v, %v", p, err)
	}
}

func TestASwitchIsGivenUp(t *testing.T) {
	p := Protocol{Seq: 3, Name: "a", Try: 5}
	if err := p.Begin("a", Protocol{To: "b", LimitMillis: 1, Absent: true}); err != nil {
		t.Fatal(err)
	}
	if !p.GiveUp(6, "node 2 is silent") || p.Seq != 3 || p.Name != "a" || p.Failed != "node 2 is silent" || p.Absent || p.Under() {
		t.Errorf("%+v", p)
	}
	if err := p.Begin("a", Protocol{To: "b", LimitMillis: 1}); err != nil || p.Try != 7 || p.Failed != "" {
		t.Errorf("%+v, %v", p, err)
	}
	for _, bad := range []Protocol{{}, {To: "c", DrainMillis: -1}, {To: "c", DrainMillis: 2, LimitMillis: 1}, {To: "c", LimitMillis: 1 << 40}} {
		if err := (&Protocol{}).Begin("a", bad); err == nil {
			t.Errorf("%+v was begun", bad)
		}
	}
}
