package lab

import (
	"math"
	"testing"
	"time"

	"isochron/reveal"
)

// mariaDB is one hot row of MariaDB 10.11 as in docs/laboratory/performance.md: updates a second by
// the number of connections. It releases a row when its log has the commit, before the disk has; an
// update took 65 us without waiters, all costs together.
var mariaDB = map[int]float64{16: 14804, 64: 12256, 256: 8606, 1024: 4705}

func likeMariaDB(clients int) Experiment {
	s := beside("hotspot", clients)
	s.Protocol, s.Reveal, s.Length, s.Loop, s.Cores, s.Fsync = "mysql", reveal.OnAppend, 1, true, 80, 250*time.Microsecond
	s.ClientRTT, s.RequestCPU, s.CommitCPU = 100*time.Microsecond, RequestCPU, 65*time.Microsecond-RequestCPU
	s.LockCPU, s.StepCPU, s.PageCPU = LockCPU, WalkCPU, PageCPU
	s.Tries, s.LockWait = 1000, 50*time.Second
	return s
}

// The model slows down as MariaDB does when more wait for one row, to a fifth of each number;
// without pages of locks it does not. Seen red with PageCPU halved.
func TestFallsLikeMariaDB(t *testing.T) {
	got := map[int]float64{}
	for clients, want := range mariaDB {
		got[clients] = sound(t, mustRun(t, likeMariaDB(clients))).ThroughputTPS
		if math.Abs(got[clients]/want-1) > 0.2 {
			t.Errorf("%d clients: %.0f updates a second, MariaDB has %.0f", clients, got[clients], want)
		}
	}
	if fall, want := got[16]/got[1024], mariaDB[16]/mariaDB[1024]; math.Abs(fall/want-1) > 0.2 {
		t.Errorf("from 16 to 1024 clients it falls by %.2f times, and MariaDB by %.2f", fall, want)
	}
	s := likeMariaDB(1024)
	s.Protocol = "o1"
	if r := sound(t, mustRun(t, s)); r.ThroughputTPS < 2*got[1024] {
		t.Errorf("without an object for each lock it makes %.0f updates a second, and with them %.0f", r.ThroughputTPS, got[1024])
	}
}

// The list of writers is copied by one reader after another, only if there are writers, and only by
// protocols that keep it.
func TestReadersCopyTheListOfWriters(t *testing.T) {
	l := writerList{each: time.Microsecond}
	if l.copied(0) != 0 {
		t.Error("no transaction has written")
	}
	l.writers = 10
	if a, b, c := l.copied(0), l.copied(5*time.Microsecond), l.copied(time.Millisecond); a != 10*time.Microsecond || b != 15*time.Microsecond || c != 10*time.Microsecond {
		t.Errorf("three readers wait for %v, %v and %v", a, b, c)
	}
	rate := map[string]float64{}
	for _, row := range []string{"mysql", "o1"} {
		s := beside("sysbench", 64)
		s.Protocol, s.Length, s.ReadShare, s.ListCPU, s.Fsync = row, 4, 0.75, 10*time.Microsecond, 100*time.Microsecond
		rate[row] = sound(t, mustRun(t, s)).ThroughputTPS
	}
	if rate["o1"] < 1.5*rate["mysql"] {
		t.Errorf("transactions a second: %v", rate)
	}
}

// The reveal of a protocol can be replaced if the combination is valid.
func TestRevealOfAnAblation(t *testing.T) {
	s := beside("hotspot", 32)
	s.Protocol, s.Length, s.Fsync, s.CommitCPU, s.Loop = "mysql", 1, time.Millisecond, 50*time.Microsecond, true
	late := sound(t, mustRun(t, s)).ThroughputTPS
	s.Reveal = reveal.OnAppend
	if early := sound(t, mustRun(t, s)).ThroughputTPS; early < 5*late {
		t.Errorf("%v updates a second, and %v when they are revealed at the append", late, early)
	}
	s.Protocol, s.Reveal = "tapir", reveal.OnAppend
	if s.Validate() == nil {
		t.Error("a row without a log cannot reveal on the append")
	}
}
