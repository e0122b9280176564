package sim

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"isochron/txn"
)

// Each message has a name of its own, and a text of its own, without a list here.
func TestEveryMessageHasAName(t *testing.T) {
	w := messageFormatter{node: func(txn.NodeID) string { return "n" }}
	var names, texts []string
	for i := range kinds {
		var m txn.Message
		f := reflect.ValueOf(&m).Elem().Field(i)
		f.Set(reflect.New(f.Type().Elem()))
		if p := f.Elem().FieldByName("Prepare"); p.IsValid() {
			p.Set(reflect.ValueOf(&txn.Prepare{Attempt: txn.Attempt{Node: 1, Epoch: 2, Seq: 3}}))
		}
		names = append(names, kindOf(&m))
		if text := w.message(&m); m.Raft == nil {
			texts = append(texts, text)
			if !strings.HasPrefix(text, kinds[i].name) {
				t.Errorf("%s is formatted as %q", kinds[i].name, text)
			}
		}
		if a, about := attemptOf(&m); about && m.Prepare == nil && f.Elem().FieldByName("Prepare").IsValid() && !f.Elem().FieldByName("Attempt").IsValid() && a.Seq != 3 {
			t.Errorf("%s is about the attempt of its Prepare, not %v", kinds[i].name, a)
		}
	}
	for _, list := range [][]string{names, texts} {
		slices.Sort(list)
		if once := slices.Compact(slices.Clone(list)); len(once) != len(list) {
			t.Errorf("some are named alike: %q", list)
		}
	}
}

func TestMessagesAreNamedAndDescribed(t *testing.T) {
	a := txn.Attempt{Node: 1, Epoch: 2, Seq: 3}
	for _, c := range []struct {
		m     txn.Message
		name  string
		about bool
	}{
		{txn.Message{AccessReply: &txn.AccessReply{}}, "access reply", false},
		{txn.Message{SnapChunk: &txn.SnapChunk{}}, "snapshot chunk", false},
		{txn.Message{PreCommit: &txn.PreCommit{Attempt: a}}, "pre-commit", true},
		{txn.Message{Decide: &txn.Decide{Attempt: a, Prepare: &txn.Prepare{}}}, "decide", true},
		{txn.Message{SlowPathRequest: &txn.SlowPathRequest{Prepare: &txn.Prepare{Attempt: a}}}, "slow path request", true},
		{txn.Message{SlowPathRequest: &txn.SlowPathRequest{}}, "slow path request", false},
		{txn.Message{NotLeader: &txn.NotLeader{Attempt: a}}, "not leader", false},
		{txn.Message{DeadlockProbe: &txn.DeadlockProbe{Shard: 2}}, "deadlock probe to a leader", false},
		{txn.Message{}, "other", false},
	} {
		if got := kindOf(&c.m); got != c.name {
			t.Errorf("%q is called %q", c.name, got)
		}
		if got, about := attemptOf(&c.m); about != c.about || about && got != a {
			t.Errorf("%s is about %v, %v", c.name, got, about)
		}
	}
}
