package sourcedb

import (
	"context"
	"errors"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"isochron/source"
)

// pgCodes maps PostgreSQL's SQLSTATEs to MySQL's error numbers, by five letters, or by two for the rest of a class.
var pgCodes = map[string]uint16{
	"40001": 1213, "40P01": 1213, "40": 1213, // serialization failure, deadlock
	"40002": codeRolledBack, "40003": codeRolledBack,
	"55P03": 1205, // lock not available
	"57014": codeInterrupted,

	"23505": 1062, "23503": 1452, "23502": 1048, "23514": 4025, "23P01": 1062, "23": 1859,

	"22001": 1406, "22003": 1264, "22012": 1365, "22007": 1292, "22008": 1292, "22P02": 1366,
	"22021": 1366, "22023": 1210, "22": 1366,

	"42P01": 1146, "42703": 1054, "42702": 1052, "42601": 1064, "42501": 1142, "42883": 1305,
	"42P07": 1050, "42701": 1060, "42803": 1055, "42710": codeDuplicateName, "42704": codeNoSuchBranch,
	"42804": 1366, "42P18": 1210, "42P02": 1210, "42": 1064,
	"08P01": 1210, // too few or too many values

	"3B001": 1305, // no such savepoint
	"25006": 1792, // read-only transaction
	"25P02": codeRolledBack, "25P03": codeLost, "25": 1399,
	"21000": 1242, "0A000": 1235, "0A": 1235,

	"28P01": 1045, "28000": 1045, "28": 1045, "3D000": 1049, "3F000": 1049,
	"53300": 1040, "53100": 1021, "53200": 1041, "53": 1041,
	"55000": 1399, "55": 1399,
	"57P01": 1053, "57P02": 1053, "57P03": 1053, "57P05": codeLost,
	"08": codeLost,
}

// unknownCode is MySQL's number of an error without one.
const unknownCode = 1105

// pgError converts an error of pgconn.
func pgError(ctx context.Context, err error) *source.Error {
	if e := serverWord(err); e != nil {
		if e.Code == codeInterrupted && ctx.Err() != nil {
			return interrupted(ctx)
		}
		return e
	}
	return lost(ctx, err)
}

// serverWord returns a server's error, nil if err is not one.
func serverWord(err error) *source.Error {
	var e *pgconn.PgError
	if !errors.As(err, &e) {
		return nil
	}
	code, ok := pgCodes[e.Code]
	if !ok && len(e.Code) == 5 {
		code, ok = pgCodes[e.Code[:2]]
	}
	if !ok {
		code = unknownCode
	}
	text := e.Message
	switch {
	case e.Code == "23502" && e.ColumnName != "":
		text = "Column '" + e.ColumnName + "' cannot be null; " + text // MySQL's words, by which a gateway finds the column
	case e.Code == "22P02" && strings.HasPrefix(e.File, "json"):
		code = codeInvalidJSON
	}
	for _, more := range []string{e.Detail, e.Hint} {
		if more != "" {
			text += "; " + more
		}
	}
	class := e.Code[:min(2, len(e.Code))]
	gone := class == "08" && e.Code != "08P01" || class == "57" && e.Code != "57014" || e.Code == "25P03"
	return &source.Error{
		Code: code, State: e.Code, Text: text,
		Ends:  gone || fatal(e) || class == "40" || e.Code == "25P02",
		Again: e.Code == "40001" || e.Code == "40P01" || e.Code == "55P03",
		Gone:  gone,
	}
}

// fatal reports whether the server closed the connection with the error.
func fatal(e *pgconn.PgError) bool {
	severity := e.SeverityUnlocalized
	if severity == "" {
		severity = e.Severity
	}
	return severity == "FATAL" || severity == "PANIC"
}

// unknowable reports whether a failed commit or prepare may have taken effect: the server did not report it, or was
// stopped meanwhile.
func unknowable(err error) bool {
	var e *source.Error
	return errors.As(err, &e) && (e.Gone || e.Code == codeInterrupted || e.Code == codeLost || e.Code == 1053)
}
