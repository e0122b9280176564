package sim

import (
	"os"
	"runtime/debug"
	"testing"
)

// Of what a world makes little lives for long: collected as often as by default, it takes a
// fifth of the time of all tests. GOGC in the environment goes before this.
func TestMain(m *testing.M) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
	os.Exit(m.Run())
}
