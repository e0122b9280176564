//go:build unix

package sourcedb

import (
	"net"
	"testing"
	"time"
)

// A connection is checked without waiting, even during a read of it.
func TestQuiet(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	far, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer far.Close()
	looks := func(when string, want bool) {
		t.Helper()
		seen := make(chan bool, 1)
		for end := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) { // the data is under way
			go func() { seen <- quiet(c) }()
			select {
			case is := <-seen:
				if is != want && time.Now().Before(end) {
					continue
				}
				if is != want {
					t.Errorf("%s: quiet is %v", when, is)
				}
			case <-time.After(10 * time.Second):
				t.Fatalf("%s: it waits", when)
			}
			return
		}
	}
	looks("open", true)
	read := make(chan struct{})
	go func() {
		defer close(read)
		_, _ = c.Read(make([]byte, 1))
	}()
	time.Sleep(20 * time.Millisecond) // until it reads
	looks("with a reader", true)
	if _, err := far.Write([]byte("ab")); err != nil {
		t.Fatal(err)
	}
	<-read
	looks("data was received", false)
}
