package account

import (
	"net/netip"
	"strings"
)

// Which account a client is of. As in MySQL 8, of all accounts whose host matches the client's
// address the one with the most specific host is taken, and of two with equal hosts the one that
// Has a name before the anonymous one. The password is then that account's alone. The order of
// hosts: an address; a network as 10.0.0.0/8; a network as 10.0.0.0/255.0.0.0, of two networks
// the smaller one; localhost; a pattern, of two the one with the later first wildcard; % alone.
//
// Names of hosts are not resolved, so localhost is the only name that matches: the loopback
// addresses are this host. The engine takes both loopback addresses for localhost wherever it
// looks for an account, so an account of one of them is the account of localhost (canonicalHost).

const (
	localhost = "localhost"
	anyHost   = "%"
)

// canonicalHost is the host under which an account is stored.
func canonicalHost(host string) string {
	switch host {
	case "":
		return anyHost
	case "127.0.0.1", "::1":
		return localhost
	}
	return host
}

// specificity orders the hosts that match an address: the smaller, the more specific.
type specificity struct {
	class  int
	within int // the order in a class
}

// The classes of hosts.
const (
	hostAddress = iota
	hostPrefix  // a network by the length of its prefix
	hostMask    // a network by its mask
	hostName
	hostPattern
	hostAny
)

func (s specificity) before(o specificity) bool {
	return s.class < o.class || s.class == o.class && s.within < o.within
}

// matchHost reports whether a client at an address is of an account of a host, and how specific
// that host is.
func matchHost(host, address string) (specificity, bool) {
	ip, err := netip.ParseAddr(address)
	ip = ip.Unmap().WithZone("")
	isIP := err == nil
	if isIP {
		address = ip.String()
	}
	loopback := address == localhost || isIP && ip.IsLoopback()
	switch {
	case host == anyHost:
		return specificity{class: hostAny}, true
	case strings.EqualFold(host, localhost):
		return specificity{class: hostName}, loopback
	case strings.ContainsAny(host, "%_"):
		first := strings.IndexAny(host, "%_")
		return specificity{hostPattern, -first}, matchPattern(strings.ToLower(host), strings.ToLower(address)) || loopback && matchPattern(strings.ToLower(host), localhost)
	case strings.Contains(host, "/"):
		network, bits, class, ok := networkOf(host)
		return specificity{class, -bits}, ok && isIP && network.Contains(ip)
	}
	if at, err := netip.ParseAddr(host); err == nil {
		return specificity{class: hostAddress}, isIP && at.Unmap() == ip
	}
	return specificity{class: hostName}, strings.EqualFold(host, address)
}

// networkOf reads a network: an address, and its prefix's length or a mask of leading ones. The
// address must have no bits beyond these.
func networkOf(host string) (network netip.Prefix, bits, class int, ok bool) {
	if p, err := netip.ParsePrefix(host); err == nil {
		return p, p.Bits(), hostPrefix, p == p.Masked()
	}
	address, mask, _ := strings.Cut(host, "/")
	at, err := netip.ParseAddr(address)
	m, err2 := netip.ParseAddr(mask)
	if err != nil || err2 != nil || !at.Is4() || !m.Is4() {
		return netip.Prefix{}, 0, hostMask, false
	}
	b := m.As4()
	word := uint32(b[0])<<24 | uint32(b[1])<<16 | uint32(b[2])<<8 | uint32(b[3])
	for bits = 0; bits < 32 && word&(1<<(31-bits)) != 0; bits++ {
	}
	if bits < 32 && word<<bits != 0 {
		return netip.Prefix{}, 0, hostMask, false // ones behind a zero
	}
	p := netip.PrefixFrom(at, bits)
	return p, bits, hostMask, p == p.Masked()
}

// matchPattern matches a text with a pattern, in which % is any text and _ any character.
func matchPattern(pattern, text string) bool {
	p, t, star, mark := 0, 0, -1, 0
	for t < len(text) {
		switch {
		case p < len(pattern) && pattern[p] == '%':
			star, mark = p, t
			p++
		case p < len(pattern) && (pattern[p] == '_' || pattern[p] == text[t]):
			p++
			t++
		case star >= 0:
			mark++
			p, t = star+1, mark
		default:
			return false
		}
	}
	return strings.Trim(pattern[p:], "%") == ""
}

// find is the account of a client that names a user and comes from an address, nil if there is
// none.
func (a *Accounts) find(name, address string) *User { return a.book.Load().find(name, address) }

func (b *Book) find(name, address string) (best *User) {
	var how specificity
	for _, user := range []string{name, ""} {
		for _, u := range b.byUser[user] {
			if s, ok := matchHost(u.Host, address); ok && (best == nil || s.before(how)) {
				best, how = u, s
			}
		}
		if name == "" {
			break
		}
	}
	return best
}

// named is the account of exactly this name and host, as a session has them; nil if there is none.
func (a *Accounts) named(name, host string) *User { return a.book.Load().named(name, host) }
