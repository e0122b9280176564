package comparing

import (
	"strconv"
	"strings"
	"time"
)

// ParseMoment parses a date, or a date with a time, from a text as MySQL does; ok is false if it is none.
func ParseMoment(s string) (at time.Time, ok bool) {
	s = strings.TrimSpace(s)
	if len(s) > 64 || s == "" || s[0] < '0' || s[0] > '9' {
		return at, false
	}
	var parts []int
	var lengths []int
	fraction := 0
	for i := 0; i < len(s); {
		start := i
		for i < len(s) && s[i] >= '0' && s[i] <= '9' {
			i++
		}
		digits := s[start:i]
		if digits == "" {
			return at, false
		}
		if len(parts) == 0 && len(digits) >= 5 { // no delimiters
			rest := ""
			if i < len(s) {
				if s[i] != '.' {
					if s[i] == 'T' && len(digits) == 8 && i+1 < len(s) {
						return ParseMoment(digits[:4] + "-" + digits[4:6] + "-" + digits[6:] + " " + s[i+1:])
					}
					return at, false
				}
				rest = s[i:]
			}
			return packedMoment(digits, rest)
		}
		if len(parts) == 6 {
			fraction = micros(digits)
		} else {
			n, err := strconv.Atoi(digits)
			if err != nil || len(parts) > 6 {
				return at, false
			}
			parts, lengths = append(parts, n), append(lengths, len(digits))
		}
		if i == len(s) {
			break
		}
		if len(parts) == 3 && (s[i] == 'T' || s[i] == ' ') {
			for i++; i < len(s) && s[i] == ' '; i++ { // blanks are one
			}
			continue
		}
		if c := s[i]; c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80 || c == ' ' {
			return at, false
		}
		if i++; i == len(s) {
			return at, false
		}
	}
	if len(parts) < 3 {
		return at, false
	}
	for len(parts) < 6 {
		parts = append(parts, 0)
	}
	return moments(century(parts[0], lengths[0]), parts[1], parts[2], parts[3], parts[4], parts[5], fraction)
}

// century completes a year of two digits.
func century(year, digits int) int {
	switch {
	case digits > 2:
		return year
	case year < 70:
		return year + 2000
	}
	return year + 1900
}

// micros is a fraction of a second of digits, in microseconds, rounded.
func micros(digits string) int {
	n, _ := strconv.Atoi((digits + "0000000")[:7])
	return (n + 5) / 10
}

// packedMoment parses YYMMDD, YYYYMMDD, YYMMDDhhmmss or YYYYMMDDhhmmss.
func packedMoment(digits, rest string) (at time.Time, ok bool) {
	two := len(digits) == 6 || len(digits) == 12
	n := 4
	if two {
		n = 2
	}
	if len(digits) != 6 && len(digits) != 8 && len(digits) != 12 && len(digits) != 14 {
		return at, false
	}
	parts := []int{}
	year, _ := strconv.Atoi(digits[:n])
	for i := n; i < len(digits); i += 2 {
		p, _ := strconv.Atoi(digits[i : i+2])
		parts = append(parts, p)
	}
	for len(parts) < 5 {
		parts = append(parts, 0)
	}
	fraction := 0
	if len(rest) > 1 && len(digits) >= 12 {
		if strings.Trim(rest[1:], "0123456789") != "" {
			return at, false
		}
		fraction = micros(rest[1:])
	}
	return moments(century(year, n), parts[0], parts[1], parts[2], parts[3], parts[4], fraction)
}

// numberMoment parses a number as a date with a time: 20240131, 240131, 20240131101112.
func numberMoment(s string) (at time.Time, ok bool) {
	digits, rest, _ := strings.Cut(s, ".")
	if strings.Trim(digits, "0123456789") != "" || len(digits) < 3 {
		return at, false
	}
	switch n := len(digits); {
	case n < 6:
		digits = strings.Repeat("0", 6-n) + digits
	case n == 7:
		digits = "0" + digits
	case n > 8 && n < 12:
		digits = strings.Repeat("0", 12-n) + digits
	case n == 13:
		digits = "0" + digits
	}
	if rest != "" {
		rest = "." + rest
	}
	return packedMoment(digits, rest)
}

func moments(year, month, day, hour, minute, second, micros int) (at time.Time, ok bool) {
	if year > 9999 || month < 1 || month > 12 || day < 1 || day > 31 || hour > 23 || minute > 59 || second > 59 {
		return at, false
	}
	at = time.Date(year, time.Month(month), day, hour, minute, second, micros*1000, time.UTC)
	return at, at.Day() == day || micros > 999_999
}
