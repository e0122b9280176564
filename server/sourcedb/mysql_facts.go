package sourcedb

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"isochron/source"
)

// myFactsQuery queries the variables that myFacts reads; a server omits those it does not have.
const myFactsQuery = `SHOW GLOBAL VARIABLES WHERE Variable_name IN ('version', 'version_comment', 'server_uuid', 'server_uid', 'hostname',
	'port', 'datadir', 'wsrep_on', 'log_bin', 'innodb_flush_log_at_trx_commit', 'read_only')`

func (d *mysqlDB) Facts(ctx context.Context) (f source.Facts, err error) {
	err = d.ask(ctx, func(c *myConn) error {
		rows, err := c.rows(ctx, myFactsQuery)
		if err != nil {
			return err
		}
		v := map[string]string{}
		for _, row := range rows {
			v[strings.ToLower(string(row[0]))] = string(row[1])
		}
		f = myFacts(v, d.database)
		if f.Incarnation = c.incarnation; f.Incarnation == "" {
			f.Warnings = append(f.Warnings, "the server does not report its uptime: over its restart the rows read by prepared transactions are not protected")
		}
		if _, err = c.recover(ctx); err != nil && !asError(err).Ends {
			f.PreparedMax = 0
			f.Warnings = append(f.Warnings, "the account may not list prepared transactions, so none can be finished after a crash: GRANT XA_RECOVER_ADMIN ON *.* TO the account")
			err = nil
		}
		if err == nil {
			f.Hints, err = c.hints(ctx)
		}
		return err
	})
	return f, err
}

// hints returns the hints for an account that may not see waits.
func (c *myConn) hints(ctx context.Context) ([]string, error) {
	_, err := c.rows(ctx, `SELECT 1 FROM information_schema.INNODB_LOCK_WAITS LIMIT 1`)
	e := asError(err)
	if e == nil || !myReportsNoWaits[e.Code] {
		return nil, err
	}
	if e.Code == myNeedsProcess {
		return []string{"the account may not see lock waits, so that a deadlock over several sources ends only by the lock wait timeout: GRANT PROCESS ON *.* TO the account"}, nil
	}
	return []string{"this server has no information_schema.INNODB_LOCK_WAITS, so that a deadlock over several sources ends only by the lock wait timeout"}, nil
}

// myFacts converts a server's variables.
func myFacts(v map[string]string, database string) source.Facts {
	f := source.Facts{Dialect: source.MySQL, Version: v["version"], PreparedMax: -1, ForgetsReads: true}
	maria := strings.Contains(strings.ToLower(v["version"]+v["version_comment"]), "mariadb")
	uid := v["server_uuid"]
	if uid == "" { // MariaDB has no identifier stored with its data
		uid = strings.Join([]string{v["server_uid"], v["hostname"], v["port"], v["datadir"]}, ",")
	}
	f.Identity = "mysql/" + uid + "/" + database
	warn := func(format string, args ...any) { f.Warnings = append(f.Warnings, fmt.Sprintf(format, args...)) }
	refuse := func(format string, args ...any) {
		f.PreparedMax = 0
		warn(format, args...)
	}
	switch {
	case maria && before(v["version"], 10, 5):
		refuse("MariaDB %s drops a prepared transaction when its connection ends; 10.5 and later keep it", v["version"])
	case !maria && before(v["version"], 5, 8):
		// 5.7.7 and later keep it, but their reads under XA differ from the tested versions.
		warn("MySQL %s is older than the tested versions; before 5.7.7 a prepared transaction ended with its connection", v["version"])
	}
	if on(v["wsrep_on"]) {
		refuse("this server is part of a Galera cluster, which does not support XA: no transaction can be prepared")
	}
	if maria && on(v["log_bin"]) {
		warn("this MariaDB writes a binary log: a prepared transaction may be lost in a crash of the server")
	}
	if flush := v["innodb_flush_log_at_trx_commit"]; flush != "" && flush != "1" && flush != "3" {
		warn("innodb_flush_log_at_trx_commit is %s: a power cut may lose prepared or committed transactions", flush)
	}
	if on(v["read_only"]) {
		warn("read_only is on: the server refuses writes of ordinary accounts")
	}
	return f
}

func on(v string) bool { return v == "1" || strings.EqualFold(v, "ON") }

// before reports whether a version is older than major.minor; an unreadable one is not.
func before(version string, major, minor int) bool {
	parts := strings.SplitN(version, ".", 3)
	if len(parts) < 2 {
		return false
	}
	a, err1 := strconv.Atoi(parts[0])
	b, err2 := strconv.Atoi(parts[1])
	return err1 == nil && err2 == nil && (a < major || a == major && b < minor)
}

// Queries of the tables, their columns in order, and the columns of those unique keys that consist of whole
// columns.
const (
	myOthers       = ` NOT IN ('mysql', 'information_schema', 'performance_schema', 'sys')`
	myColumnsQuery = `SELECT c.TABLE_SCHEMA, c.TABLE_NAME, c.COLUMN_NAME, c.COLUMN_TYPE, c.IS_NULLABLE, IF(c.EXTRA LIKE '%auto_increment%', 'YES', 'NO'),
			IF(t.ENGINE = 'InnoDB', '', CONCAT('its engine is ', IFNULL(t.ENGINE, 'not known'), ', which cannot roll back or prepare what InnoDB can: ALTER TABLE ... ENGINE = InnoDB')), 'NO', c.COLLATION_NAME
		FROM information_schema.COLUMNS c JOIN information_schema.TABLES t ON t.TABLE_SCHEMA = c.TABLE_SCHEMA AND t.TABLE_NAME = c.TABLE_NAME
		WHERE t.TABLE_TYPE = 'BASE TABLE' AND c.TABLE_SCHEMA` + myOthers + `
		ORDER BY c.TABLE_SCHEMA, c.TABLE_NAME, c.ORDINAL_POSITION`
	myKeysQuery = `SELECT s.TABLE_SCHEMA, s.TABLE_NAME, s.INDEX_NAME, IF(s.INDEX_NAME = 'PRIMARY', 'YES', 'NO'), s.COLUMN_NAME, s.SUB_PART IS NULL AND s.COLUMN_NAME IS NOT NULL
		FROM information_schema.STATISTICS s
		WHERE s.NON_UNIQUE = 0 AND s.TABLE_SCHEMA` + myOthers + `
		ORDER BY s.TABLE_SCHEMA, s.TABLE_NAME, s.INDEX_NAME, s.SEQ_IN_INDEX`
)

func (d *mysqlDB) Tables(ctx context.Context) (out []source.Table, err error) {
	err = d.ask(ctx, func(c *myConn) error {
		columns, err := c.rows(ctx, myColumnsQuery)
		if err != nil {
			return err
		}
		keys, err := c.rows(ctx, myKeysQuery)
		if err != nil {
			return err
		}
		out = tables(columns, wholeKeys(keys), "YES")
		return nil
	})
	return out, err
}

// wholeKeys drops keys with a prefix or an expression as a column.
func wholeKeys(rows [][][]byte) (out [][][]byte) {
	id := func(row [][]byte) string { return strings.Join(texts(row[:3]), "\x00") }
	partial := map[string]bool{}
	for _, row := range rows {
		if string(row[5]) != "1" {
			partial[id(row)] = true
		}
	}
	for _, row := range rows {
		if !partial[id(row)] {
			out = append(out, row[:5])
		}
	}
	return out
}
