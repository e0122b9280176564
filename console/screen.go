package console

import (
	"fmt"
	"io"
	"strings"
)

// Screen shows a text that is replaced again and again: in place on a terminal.
type Screen struct {
	w     io.Writer
	lines int // of the text now on the screen
}

// NewScreen shows on w, a terminal.
func NewScreen(w io.Writer) *Screen { return &Screen{w: w} }

// Show replaces the text on the screen.
func (s *Screen) Show(text string) error {
	var b strings.Builder
	if s.lines > 0 {
		fmt.Fprintf(&b, "\x1b[%dA", s.lines) // to the first line of the old text
	}
	text = strings.TrimRight(text, "\n")
	// Each line is cleared to its end, and below the last all that is left.
	b.WriteString(strings.ReplaceAll(text, "\n", "\x1b[K\n"))
	b.WriteString("\x1b[K\n\x1b[J")
	s.lines = strings.Count(text, "\n") + 1
	_, err := io.WriteString(s.w, b.String())
	return err
}
