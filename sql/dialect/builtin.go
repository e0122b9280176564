package dialect

import (
	_ "embed"
	"strconv"
	"strings"
	"sync"
)

// A MariaDB or MySQL takes a name that it does not have built in for a stored function, and runs it
// with the rights of the agent's account: it reads and writes what that account may, whatever the
// client may. So a call goes to a source only if the source's version has the function built in, and
// the function depends on nothing but its arguments, the clock or chance: not on the server's
// session, its files, its locks or its sequences. builtins.txt lists those functions by product and
// version. All others the gateway computes, or they are refused.

// builtinText is written by go test ./sql/dialect -run BuiltinList -builtins, from what servers
// answer and from builtins_documented.txt, for servers that were not available.
//
//go:embed builtins.txt
var builtinText string

// product is a database server of which the list has functions.
type product uint8

const (
	unknownProduct product = iota // of a source of which the version is not known
	mariaDB
	mySQL
	postgreSQL
	products
)

var productNames = [products]string{"", "mariadb", "mysql", "postgres"}

// release is a version's first three numbers. 0.0.0: it is not known.
type release [3]uint16

// releaseOf reads the version that begins a text: "10.11.19-MariaDB", "8.0.35", "15.4 (Debian 15.4-1)".
func releaseOf(text string) (r release) {
	for i := range r {
		digits := len(text) - len(strings.TrimLeft(text, "0123456789"))
		n, err := strconv.ParseUint(text[:digits], 10, 16)
		if err != nil {
			return r
		}
		r[i] = uint16(n)
		if text = text[digits:]; !strings.HasPrefix(text, ".") {
			break
		}
		text = text[1:]
	}
	return r
}

func (r release) String() string {
	out := strconv.Itoa(int(r[0])) + "." + strconv.Itoa(int(r[1]))
	if r[2] != 0 {
		out += "." + strconv.Itoa(int(r[2]))
	}
	return out
}

func (r release) compare(o release) int {
	for i := range r {
		if d := int(r[i]) - int(o[i]); d != 0 {
			return d
		}
	}
	return 0
}

// Server is the product and the version of a source's server. The zero value is one that is not known.
type Server struct {
	product product
	release release
}

// ServerOf reads a server's own account of its version.
func ServerOf(of Dialect, version string) Server {
	s := Server{release: releaseOf(version)}
	switch {
	case s.release == release{}:
		return Server{}
	case of == Postgres:
		s.product = postgreSQL
		// What follows the major version is a release without new functions.
		if s.release[2] = 0; s.release[0] >= 10 {
			s.release[1] = 0
		}
	case strings.Contains(strings.ToLower(version), "mariadb"):
		s.product = mariaDB
	default:
		s.product = mySQL
	}
	return s
}

// span is the versions of a product that have a function: from since to last, or on if last is zero.
type span struct{ since, last release }

// includes reports whether a version has the function. A version between two of the list has what both
// have; one that is newer than all has what the newest has.
func (s span) includes(r release) bool {
	return s.since != release{} && r.compare(s.since) >= 0 && (s.last == release{} || r.compare(s.last) <= 0)
}

// spans are those of one function, by product.
type spans [products]span

// builtins are the functions of the list, by their names in lower case.
var builtins = sync.OnceValue(func() map[string]spans {
	_, list := readBuiltins(builtinText)
	return list
})

// readBuiltins reads the list, and the versions of which it has the functions, rising.
func readBuiltins(text string) (asked [products][]release, list map[string]spans) {
	list = map[string]spans{}
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) == 0 || fields[0] == "#" {
			continue
		}
		var of spans
		for _, f := range fields[1:] {
			name, versions, _ := strings.Cut(f, "=")
			for p := mariaDB; p < products; p++ {
				if name != productNames[p] {
					continue
				}
				if fields[0] == "versions" {
					asked[p] = append(asked[p], releaseOf(versions))
					continue
				}
				since, last, ended := strings.Cut(versions, "-")
				if of[p].since = releaseOf(since); ended {
					of[p].last = releaseOf(last)
				}
			}
		}
		if fields[0] != "versions" {
			list[fields[0]] = of
		}
	}
	return asked, list
}

// floors are the least versions that a source of which the version is not known may have: its table was
// adopted before the catalogue kept versions. PostgreSQL needs none, since its own functions are called
// by their schema.
var floors = [products]release{mariaDB: {10, 5}, mySQL: {8, 0, 11}}

// has reports whether a source of a dialect has a function built in that it may be sent. name is in
// lower case.
func (s Server) has(to Dialect, name string) bool {
	of, ok := builtins()[name]
	switch {
	case !ok:
		return false
	case s.product == unknownProduct && to == Postgres:
		return of[postgreSQL].since != release{}
	case s.product == unknownProduct:
		return everywhere(of)
	}
	return (s.product == postgreSQL) == (to == Postgres) && of[s.product].includes(s.release)
}

// everywhere reports whether each MariaDB and MySQL from its floor on has a function.
func everywhere(of spans) bool {
	for _, p := range []product{mariaDB, mySQL} {
		if !of[p].includes(floors[p]) || of[p].last != (release{}) {
			return false
		}
	}
	return true
}

// builtinSomewhere reports whether a version of a product that speaks MySQL has a function of this name.
func builtinSomewhere(name string) bool {
	of, ok := builtins()[name]
	return ok && (of[mariaDB].since != release{} || of[mySQL].since != release{})
}
