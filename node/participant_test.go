package node

import (
	"errors"
	"strings"
	"testing"

	"isochron/protocol"
	"isochron/routing"
)

// A native kind whose replication differs from the protocol's way of counting votes is not opened:
// its votes would never be received. Nor is a kind without an opener.
func TestKindsThatAreNotOpened(t *testing.T) {
	for _, c := range []struct {
		spec    string
		kind    routing.Kind
		message string
	}{
		{"2pc+2pl", routing.Unordered, "under 2pc+2pl native shards are logged"},
		{"tapir", routing.Logged, "under tapir native shards are unordered"},
		{"2pc+2pl", "oracle", "no opener"},
	} {
		spec, err := protocol.ByName(c.spec)
		if err != nil {
			t.Fatal(err)
		}
		o := opener{cfg: &Config{Spec: spec}}
		if _, err := o.open(routing.Shard{ID: 7, Kind: c.kind}); !errors.Is(err, errNoOpener) || !strings.Contains(err.Error(), c.message) {
			t.Errorf("%s under %s: %v", c.kind, c.spec, err)
		}
	}
}
