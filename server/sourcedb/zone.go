package sourcedb

import (
	"strings"

	"isochron/source"
)

// Each statement says the time zone of its client's session (Statement.Zone), and a connection of
// the pool has that of the statement before. So both dialects set it where it differs, in the same
// trip; "" is UTC, which a connection has from the start.

// checkZone refuses what is no zone's name or distance.
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

// unknownZone is the error of a zone that the source does not have. Nothing was run.
func unknownZone(zone string) *source.Error {
	return &source.Error{
		Code: codeUnknownZone, State: "HY000",
		Text: "the source does not know the session's time zone '" + zone + "': load its time zone tables (mysql_tzinfo_to_sql), or SET time_zone to a distance such as '+02:00'",
	}
}

// zoneNotKnown stands for the zone of a connection on which it may or may not have been set.
const zoneNotKnown = "?"

// inZone is what sets the connection to a statement's zone; "": it is set so.
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

// zoned is the error of a trip that set the zone, if set is not "".
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

// inZone is what sets the transaction to a statement's zone, from which on it has it until a
// savepoint from before that is gone back to.
func (b *pgBranch) inZone(s source.Statement) []string {
	if b.zone == s.Zone || setsMark(s.Text) {
		return nil
	}
	return []string{"SET LOCAL TimeZone = '" + pgZone(s.Zone) + "'"}
}

// zoned says in which zone the transaction is after a statement, and what an error of it means.
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

// pgZoned is an error that may be of a zone.
func pgZoned(zone string, err error) error {
	if e := asError(err); e.State == "22023" && strings.Contains(e.Text, `"TimeZone"`) {
		return unknownZone(zone)
	}
	return err
}

// pgZone is a zone as PostgreSQL has it: distances have the other sign there, behind a name.
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
