package sourcedb

import (
	"strings"

	"isochron/source"
)

// Each statement has the time zone of its client's session (Statement.Zone), and a pooled
// connection has its last statement's. So both dialects set it where it differs, in the same trip;
// "" is UTC, a connection's initial zone.

// checkZone refuses a text that is neither a zone's name nor an offset.
func checkZone(zone string) *source.Error {
	bad := func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("+-/:_", r))
	}
	if len(zone) > 64 || strings.ContainsFunc(zone, bad) {
		return unknownZone(zone)
	}
	return nil
}

// codeUnknownZone is MySQL's ER_UNKNOWN_TIME_ZONE.
const codeUnknownZone = 1298

// unknownZone is the error of a zone the source does not have; the statement was not run.
func unknownZone(zone string) *source.Error {
	return &source.Error{
		Code: codeUnknownZone, State: "HY000",
		Text: "unknown time zone at the source: '" + zone + "': load its time zone tables (mysql_tzinfo_to_sql), or SET time_zone to an offset such as '+02:00'",
	}
}

// zoneNotKnown marks a connection whose zone may or may not have been set.
const zoneNotKnown = "?"

// inZone returns the statement that sets the connection to a statement's zone; "": none needed.
func (c *myConn) inZone(zone string) string {
	if c.zone == zone {
		return ""
	}
	c.zone = zone
	if zone == "" {
		zone = "+00:00"
	}
	return "SET time_zone = '" + zone + "'; "
}

// zoned converts the error of a trip that set the zone, if set is not "".
func (c *myConn) zoned(set, zone string, err error) error {
	e := asError(err)
	if set == "" || e == nil {
		return err
	}
	c.zone, c.level, c.lockWait = zoneNotKnown, "", -1
	if e.Code == codeUnknownZone {
		return unknownZone(zone)
	}
	return e
}

// inZone returns the statement that sets the transaction to a statement's zone. The zone lasts until a rollback to
// an earlier savepoint.
func (b *pgBranch) inZone(s source.Statement) []string {
	if b.zone == s.Zone || setsMark(s.Text) {
		return nil
	}
	return []string{"SET LOCAL TimeZone = '" + pgZone(s.Zone) + "'"}
}

// zoned records the transaction's zone after a statement, and converts the statement's error.
func (b *pgBranch) zoned(s source.Statement, err error) error {
	switch {
	case err != nil:
		return pgZoned(s.Zone, err)
	case goesBack(s.Text):
		b.zone = zoneNotKnown
	case !setsMark(s.Text):
		b.zone = s.Zone
	}
	return nil
}

// pgZoned converts an error that may be about a zone.
func pgZoned(zone string, err error) error {
	if e := asError(err); e.State == "22023" && strings.Contains(e.Text, `"TimeZone"`) {
		return unknownZone(zone)
	}
	return err
}

// pgZone returns a zone in PostgreSQL's form: offsets have the opposite sign there, after a name.
func pgZone(zone string) string {
	switch {
	case zone == "":
		return "UTC"
	case zone[0] == '+':
		return "<" + zone + ">-" + zone[1:]
	case zone[0] == '-':
		return "<" + zone + ">+" + zone[1:]
	}
	return zone
}
