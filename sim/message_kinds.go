package sim

import (
	"reflect"
	"strings"

	"isochron/txn"
)

// kind describes the messages that set one field of txn.Message. It is derived from the field and
// its type, so that a new message needs no case here.
type kind struct {
	name    string // the name of the field
	words   string // the same in words, for the counts
	attempt []int  // path to the attempt that the message is about; nil: it is about none
}

// calledOtherwise are the kinds with another usual name than the field's.
var calledOtherwise = map[string]string{"PreCommit": "pre-commit", "SnapFetch": "snapshot fetch", "SnapChunk": "snapshot chunk"}

// aboutNone name an attempt and are not about it: a refusal by a node that does not know it, and
// news of writes before there is an attempt.
var aboutNone = map[string]bool{"NotLeader": true, "Publish": true}

// kinds are those of the fields of txn.Message, in their order.
var kinds = func() (out []kind) {
	for _, f := range reflect.VisibleFields(reflect.TypeFor[txn.Message]()) {
		k := kind{name: f.Name, words: inWords(f.Name)}
		if word := calledOtherwise[f.Name]; word != "" {
			k.words = word
		}
		if !aboutNone[f.Name] {
			k.attempt = attemptIn(f.Type.Elem())
		}
		out = append(out, k)
	}
	return out
}()

// inWords returns a name in words: AccessReply, access reply.
func inWords(name string) string {
	var b strings.Builder
	for i, r := range name {
		if i > 0 && r >= 'A' && r <= 'Z' {
			b.WriteByte(' ')
		}
		b.WriteRune(r)
	}
	return strings.ToLower(b.String())
}

// attemptIn returns the path to the attempt that a message is about: in the message itself, or in
// the Prepare that it carries.
func attemptIn(message reflect.Type) []int {
	if f, ok := message.FieldByName("Attempt"); ok {
		return f.Index
	}
	if f, ok := message.FieldByName("Prepare"); ok {
		in, _ := f.Type.Elem().FieldByName("Attempt")
		return append(f.Index, in.Index...)
	}
	return nil
}

// look returns a message's kind and the struct of its field; nil for an empty message.
func look(m *txn.Message) (*kind, reflect.Value) {
	v := reflect.ValueOf(m).Elem()
	for i := range kinds {
		if f := v.Field(i); !f.IsNil() {
			return &kinds[i], f.Elem()
		}
	}
	return nil, reflect.Value{}
}

// kindOf names a message for the counts, with its content where that distinguishes rare paths: the
// rare kinds show which paths a run has taken.
func kindOf(m *txn.Message) string {
	k, _ := look(m)
	switch {
	case k == nil:
		return "other"
	case m.Vote != nil && m.Vote.Yes:
		return "vote yes"
	case m.Vote != nil:
		return "vote no"
	case m.InquireReply != nil:
		return "inquire reply " + [...]string{"nothing", "yes", "no", "committed", "aborted"}[m.InquireReply.Result]
	case m.Ack != nil && m.Ack.No:
		return "ack no"
	case m.Ack != nil && m.Ack.Replica == 0:
		return "ack of a vote alone"
	case m.DependencyDecided != nil && m.DependencyDecided.Doomed:
		return "dependency decided doomed"
	case m.Wounded != nil && m.Wounded.Cascade:
		return "wounded with another"
	case m.DeadlockProbe != nil && m.DeadlockProbe.Shard == 0:
		return "deadlock probe to a coordinator"
	case m.DeadlockProbe != nil:
		return "deadlock probe to a leader"
	case m.ReplicaVote != nil && m.ReplicaVote.Result == txn.ValidationOK:
		return "replica vote ok"
	case m.ReplicaVote != nil:
		return "replica vote against"
	}
	return k.words
}

// attemptOf returns the attempt that a message is about, if any.
func attemptOf(m *txn.Message) (txn.Attempt, bool) {
	k, v := look(m)
	if k == nil || k.attempt == nil {
		return txn.Attempt{}, false
	}
	for _, i := range k.attempt {
		if v.Kind() == reflect.Pointer {
			if v.IsNil() {
				return txn.Attempt{}, false
			}
			v = v.Elem()
		}
		v = v.Field(i)
	}
	return v.Interface().(txn.Attempt), true
}
