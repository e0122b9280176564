package sql

import "testing"

// Texts are sent in the session's character set: by queries, prepared ones too, by changes that return rows, and by keys.
func TestTextsAreSentInTheSessionsCharacterSet(t *testing.T) {
	c := start(t).connect(t, "va", "shop")
	c.exec("CREATE TABLE a (id INT PRIMARY KEY, s VARCHAR(20), e ENUM('é', 'x'), j JSON, b VARBINARY(20))")
	c.exec("INSERT INTO a VALUES (1, 'é日', 'é', '\"é\"', 'é')")
	c.exec("SET character_set_results = 'latin1'")
	const row = "\xe9? | \xe9 | \"\xe9\" | é"
	c.expect("SELECT s, e, j, b FROM a WHERE id = 1", row)
	c.expect("SELECT s, e, j, b FROM a WHERE b <> '' ORDER BY s", row)
	c.expect("SELECT s, e, j, b FROM a WHERE id = ?", row, 1)
	c.expect("SELECT CONCAT(s, ''), LENGTH(s), NULL, 1.5 FROM a UNION SELECT 'é', 2, NULL, 2", "\xe9? | 5 | NULL | 1.5\n\xe9 | 2 | NULL | 2.0")
	c.exec("BEGIN")
	c.expect("INSERT INTO a (id, s) VALUES (2, 'ö') RETURNING s, id", "\xf6 | 2")
	c.exec("ROLLBACK")
	c.exec("SET character_set_results = 'utf16'")
	c.expect("SELECT s FROM a", "\x00\xe9\x65\xe5")
	c.exec("SET character_set_results = NULL")
	c.expect("SELECT s FROM a", "é日")
	c.exec("SET NAMES utf8mb4")
	c.expect("SELECT s FROM a", "é日")
}

// Statements and parameters are in character_set_client; bytes stay as they are.
func TestTextsAreReceivedInTheClientsCharacterSet(t *testing.T) {
	c := start(t).connect(t, "va", "shop")
	c.exec("CREATE TABLE a (id INT PRIMARY KEY, s VARCHAR(20), b VARBINARY(20))")
	c.exec("SET NAMES latin1")
	c.exec("INSERT INTO a VALUES (1, '\xe9', x'e9')")
	c.exec("INSERT INTO a VALUES (?, ?, x'e9')", 2, "\xf1")
	c.expect("SELECT id, s FROM a WHERE s = '\xe9'", "1 | \xe9")
	c.expect("SELECT id, s FROM a WHERE s = ?", "2 | \xf1", "\xf1")
	c.exec("SET NAMES utf8mb4")
	c.expect("SELECT id, s, HEX(b) FROM a ORDER BY id", "1 | é | E9\n2 | ñ | E9")
	c.expect("SELECT s FROM a WHERE s = ?", "ñ", "ñ")
}
