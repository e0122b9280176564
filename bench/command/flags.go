package command

import (
	"strconv"
	"strings"

	"isochron/geo"
)

// List returns the elements between the commas, or spaces, of a flag's text.
func List(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
}

// Numbers are those of a list, each between least and most. The flag's name is for the error.
func Numbers(flag, text string, least, most int) (out []int, err error) {
	for _, one := range List(text) {
		v, err := strconv.Atoi(one)
		if err != nil || v < least || v > most {
			return nil, Usagef("--%s %q: give numbers between %d and %d", flag, one, least, most)
		}
		out = append(out, v)
	}
	return out, nil
}

// Map is the flags --wan and --wan-scale.
type Map struct {
	Name  string  // what geo.Parse reads
	Scale float64 // of its delays, 0 to 10
}

// Flags adds them, with their defaults; what is added to the description of the map.
func (m *Map) Flags(f *Flags, name string, scale float64, what string) {
	f.StringVar(&m.Name, "wan", name, what)
	f.Float64Var(&m.Scale, "wan-scale", scale, "multiply every delay by this")
}

// WAN is the map with its delays scaled.
func (m Map) WAN() (geo.WAN, error) {
	if !(m.Scale >= 0 && m.Scale <= 10) {
		return geo.WAN{}, Usagef("--wan-scale %v: give a number up to 10", m.Scale)
	}
	wan, err := geo.Parse(m.Name)
	if err != nil {
		return wan, Usagef("--wan: %w", err)
	}
	return wan.Scale(m.Scale), nil
}
