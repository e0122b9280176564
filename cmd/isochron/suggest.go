package main

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// suggestWithin is up to how many changed letters a name is taken for a mistyped one.
const suggestWithin = 2

// nearest is the name that was probably meant, empty if none is near.
func nearest(typed string, names []string) string {
	best, distance := "", min(suggestWithin, len(typed)/2)+1
	for _, name := range names {
		if d := changes(typed, name); d < distance {
			best, distance = name, d
		}
	}
	return best
}

// changes counts the letters that must be changed, added, left out or swapped with their
// neighbour to make one word of another.
func changes(a, b string) int {
	if len(a) > 64 || len(b) > 64 {
		return 64
	}
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}

// meant is the end of a message about a name that is not known.
func meant(typed string, names []string) string {
	if near := nearest(typed, names); near != "" {
		return fmt.Sprintf("; did you mean %q?", near)
	}
	return ""
}

func commandNames(cmd *cobra.Command) []string {
	var out []string
	for _, c := range cmd.Commands() {
		if !c.Hidden {
			out = append(out, c.Name())
		}
	}
	return out
}

// flagError matches the error of the flags' library for a value.
var flagError = regexp.MustCompile(`^invalid argument "(.*)" for "(?:-\w, )?--([\w-]+)" flag: `)

// flagExpectations describes the values of a flag by its type.
var flagExpectations = map[string]string{
	"int": "a whole number, such as 3", "int64": "a whole number, such as 3", "uint64": "a whole number, such as 3", "uint32": "a whole number, such as 3",
	"float64": "a number, such as 0.5", "duration": "a time with its unit, such as 30s or 2m", "bool": "true or false", "stringSlice": "names with commas between them",
}

// inPlainWords is an error of a flag without the words of its library.
func inPlainWords(cmd *cobra.Command, err error) error {
	see := fmt.Sprintf(" (see %s --help)", cmd.CommandPath())
	var missing *pflag.NotExistError
	if errors.As(err, &missing) {
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		return usagef("unknown flag --%s%s%s", missing.GetSpecifiedName(), meant(missing.GetSpecifiedName(), names), see)
	}
	if m := flagError.FindStringSubmatch(err.Error()); m != nil {
		if f := cmd.Flags().Lookup(m[2]); f != nil {
			if wants := flagExpectations[f.Value.Type()]; wants != "" {
				reason := ""
				if strings.Contains(err.Error(), "value out of range") {
					reason = ", and no larger than it can be"
				}
				return usagef("--%s %q: invalid argument; give %s%s%s", m[2], m[1], wants, reason, see)
			}
		}
	}
	return usagef("%w%s", err, see)
}
