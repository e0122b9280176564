package server

import (
	"context"
	"testing"
	"time"
)

// A cluster with sources switches its protocol while transactions over them run: agents have no protocol to
// switch and are not waited for.
func TestSourcesUnderAnotherProtocol(t *testing.T) {
	c, pg, my := withSources(t, "ssp")
	for _, s := range []interface{ Exec(string) error }{pg, my} {
		if err := s.Exec("INSERT INTO acct (id, v) VALUES (1, 10)"); err != nil {
			t.Fatal(err)
		}
	}
	db := c.DB(c.runners[0].region)
	for _, row := range []string{"geotp", "ssp-parallel"} {
		ctx, stop := context.WithTimeout(t.Context(), 3*time.Minute)
		if err := c.SetProtocol(ctx, row); err != nil || c.Spec().Name != row {
			t.Fatalf("the cluster runs %s: %v, want %s", c.Spec().Name, err, row)
		}
		stop()
		if got := sumsAt(t, db); got != "10+10" {
			t.Errorf("under %s the sources have %s", row, got)
		}
	}
}
