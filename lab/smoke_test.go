package lab

import (
	"context"
	"encoding/json"
	"testing"
	"time"
)

func short() Spec {
	s := Defaults()
	s.Clients, s.Keys, s.Warmup, s.Duration, s.Check = 30, 10_000, 2*time.Second, 5*time.Second, 2000
	return s
}

func mustRun(t *testing.T, s Spec) Result {
	t.Helper()
	r, err := Run(context.Background(), s, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestSmoke(t *testing.T) {
	r := mustRun(t, short())
	b, _ := json.MarshalIndent(r, "", " ")
	t.Logf("%s", b)
}
