package parse

import "strings"

// serverVersion is the version as comments that are executed name it: 8.0.46.
const serverVersion = 80031

// Executed is a text in which the comments that this server executes are no comments any more: their marks are blanks. The
// length stays. Those of MariaDB, /*M! ... */, are comments.
func Executed(text string) string {
	if !strings.Contains(text, "/*!") {
		return text
	}
	out := []byte(text)
	blank := func(from, to int) {
		for i := from; i < to; i++ {
			out[i] = ' '
		}
	}
	s := scanner{text: text}
	open := false
	for s.at < len(text) {
		rest := text[s.at:]
		switch c := rest[0]; {
		case strings.HasPrefix(rest, "/*!"):
			digits := 3
			version := 0
			for digits < len(rest) && digits < 9 && isDigit(rest[digits]) {
				version = 10*version + int(rest[digits]-'0')
				digits++
			}
			if version > serverVersion {
				s.to("*/")
				continue
			}
			blank(s.at, s.at+digits)
			s.at += digits
			open = true
		case open && strings.HasPrefix(rest, "*/"):
			blank(s.at, s.at+2)
			s.at += 2
			open = false
		case strings.HasPrefix(rest, "/*"):
			s.to("*/")
		case c == '#', strings.HasPrefix(rest, "-- "):
			s.to("\n")
		case c == '\'' || c == '"' || c == '`':
			s.quoted()
		default:
			s.at++
		}
	}
	return string(out)
}
