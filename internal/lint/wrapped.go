package lint

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// proseMax is the maximal number of characters in a line of a document.
const proseMax = 100

// verbatim is a line that cannot be broken: of a table, a heading, a comment, a picture, or code that
// is set in by four spaces.
var verbatim = regexp.MustCompile(`^(\||#|<|!|    )`)

// checkWrapped reports prose with lines too long to read beside code. A line of one word may be
// longer.
func checkWrapped(path string, text []byte) []Finding {
	if !strings.HasSuffix(path, ".md") {
		return nil
	}
	var out []Finding
	fenced := false
	for i, line := range strings.Split(string(text), "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			fenced = !fenced
		}
		n := utf8.RuneCountInString(line)
		if fenced || n <= proseMax || verbatim.MatchString(line) || len(strings.Fields(line)) < 3 {
			continue
		}
		out = append(out, Finding{path, i + 1, fmt.Sprintf("has %d characters; a line of prose has at most %d", n, proseMax)})
	}
	return out
}
