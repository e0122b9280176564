package session

import (
	"os"
	"strings"
	"time"

	"isochron/sql/sysvars"
)

// zoneKnown is a session's time zone while its settings are those that they were.
type zoneKnown struct {
	zone  *time.Location
	name  string
	under uint64
}

// Zone is the session's time zone.
func (s *Variables) Zone() *time.Location { return s.zoneNow().zone }

// ZoneName is the session's time zone as sources are sent it (txn.Statement.Zone).
func (s *Variables) ZoneName() string { return s.zoneNow().name }

func (s *Variables) zoneNow() *zoneKnown {
	if s.zoned.zone == nil || s.zoned.under != s.Settings {
		s.zoned = s.readZone()
		s.zoned.under = s.Settings
	}
	return &s.zoned
}

func (s *Variables) readZone() zoneKnown {
	v, err := s.source.Variable(sysvars.TimeZone)
	if name, ok := v.(string); err == nil && ok && !strings.EqualFold(name, "SYSTEM") {
		if t, err := time.Parse("-07:00", name); err == nil {
			return zoneKnown{zone: t.Location(), name: distance(t)}
		}
		if l, err := time.LoadLocation(name); err == nil {
			return zoneKnown{zone: l, name: nameOfZone(l)}
		}
	}
	return zoneKnown{zone: time.Local, name: localName(time.Local.String(), os.Readlink)}
}

// localName is the name of this machine's time zone; its distance of now if it has none.
func localName(name string, readlink func(string) (string, error)) string {
	if name == "Local" {
		target, _ := readlink("/etc/localtime") // a file that is no link names no zone
		_, name, _ = strings.Cut(target, "zoneinfo/")
	}
	if l, err := time.LoadLocation(name); err == nil && name != "" {
		return nameOfZone(l)
	}
	return distance(time.Now())
}

// nameOfZone is a zone's name; "": it is UTC, by whatever name.
func nameOfZone(l *time.Location) string {
	if short, _ := time.Now().In(l).Zone(); short == "UTC" {
		return ""
	}
	return l.String()
}

// distance is a moment's zone as its distance from UTC; "": it is UTC.
func distance(t time.Time) string {
	if text := t.Format("-07:00"); text != "+00:00" {
		return text
	}
	return ""
}
