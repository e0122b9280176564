package deploy

import (
	"strings"
	"testing"
)

// Whatever file is given as a configuration, no error quotes it.
func TestNoErrorQuotesAFile(t *testing.T) {
	const secret = "xq7zvwk4"
	for _, text := range []string{
		secret, "'" + secret + "'", `"` + secret + `"`, secret + ": 1", secret + ":\n  - 2", "- " + secret, "node: " + secret, "nodes: " + secret, "format: " + secret + "\n", "add_delays: " + secret,
		"a: *" + secret, "a: &" + secret + " 1\nb: *c", "? [" + secret + "]\n: 1", "!!int " + secret, "!" + secret + " x", secret + "\n" + secret + ": 1\n", "a: 1\na: " + secret, secret + ": 1\n" + secret + ": 2",
		"\t" + secret, "%" + secret, "`" + secret, "{" + secret, "[" + secret + ": ", "nodes: [" + secret + "]", "nodes: {" + secret + ": 1}", "sources: [{" + secret + ": 2}]", "tls: " + secret, "sql: [" + secret + "]",
		"wan:\n  " + secret + ": 2", "'" + secret, `"\` + secret,
	} {
		if _, err := Parse([]byte(text)); err == nil || strings.Contains(err.Error(), secret[:4]) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
