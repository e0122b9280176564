package peer

import (
	"bytes"
	"crypto/tls"
	"testing"

	"isochron/txn"
)

// FuzzHello: any first frame without a certificate of the cluster is refused in a line.
func FuzzHello(f *testing.F) {
	f.Add(appendFrame(nil, kindHello, txn.Encode(hello{Version: version, Cluster: "aa", From: 2, To: 1, Settings: "s"})))
	f.Add(appendFrame(nil, kindHello, txn.Encode(hello{Version: version, Cluster: "aa", From: 2, To: 1, Question: true})))
	f.Add(appendFrame(nil, kindWelcome, txn.Encode(welcome{Refused: "no"})))
	tr := &Transport{cfg: Config{Self: 1, Cluster: "aa", Settings: "s", Credentials: &Credentials{cluster: "aa", node: 1}}, links: map[txn.NodeID]*link{2: nil}}
	f.Fuzz(func(t *testing.T, wire []byte) {
		k, content, err := readFrame(bytes.NewReader(wire), helloMax)
		if err != nil {
			return
		}
		if k == kindWelcome {
			_ = txn.Decode(content, new(welcome)) // it must not panic
			return
		}
		var h hello
		if txn.Decode(content, &h) != nil {
			return
		}
		if err := tr.check(h, tls.ConnectionState{}); err == nil {
			t.Errorf("%+v was admitted without a certificate", h)
		}
	})
}
