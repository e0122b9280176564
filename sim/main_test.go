package sim

import (
	"os"
	"runtime/debug"
	"testing"
)

// TestMain collects garbage less often: most memory of a simulated cluster is long-lived, and with
// the default the collector takes a fifth of the time of all tests. GOGC in the environment
// overrides it.
func TestMain(m *testing.M) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
	os.Exit(m.Run())
}
