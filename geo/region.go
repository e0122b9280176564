package geo

// Region is the short name of a region, such as "va" or "sg".
type Region string

// Valid reports whether the name may be used: 1 to 32 lower-case letters,
// digits, "-" and "_", a letter first.
func (r Region) Valid() bool {
	if len(r) < 1 || len(r) > 32 || r[0] < 'a' || r[0] > 'z' {
		return false
	}
	for i := range len(r) {
		c := r[i]
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' && c != '_' {
			return false
		}
	}
	return true
}
