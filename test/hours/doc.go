// Package hours marks the tests that take too long for every change.
//
// How it works. make test runs in minutes, or is not run. A long story runs in make hours
// alone, which runs everything, as much as it can under the race detector. docs/inside/testing.md names
// each test that is so marked, and the lint holds it to that.
//
// What the caller owes it. One call at the beginning of the test. What the test holds is held
// somewhere in make test too, in a shorter form.
package hours

import (
	"os"
	"testing"
)

// Setting is of the environment: not empty in make hours.
const Setting = "ISOCHRON_HOURS"

// Only skips a test that is for the long run.
func Only(t testing.TB) {
	t.Helper()
	if !Long() {
		t.Skip("a long story: make hours runs it (" + Setting + "=1)")
	}
}

// Long reports whether this is the long run.
func Long() bool { return os.Getenv(Setting) != "" }
