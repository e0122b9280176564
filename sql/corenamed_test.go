package sql

import "testing"

// Queries that are prepared by name are executed by the core, other statements by the engine, under one set of names.
func TestQueriesPreparedByName(t *testing.T) {
	f := start(t)
	c := f.connect(t, "va", "shop")
	c.exec("CREATE TABLE a (id INT PRIMARY KEY, b INT)")
	c.exec("INSERT INTO a VALUES (1, 10), (2, 20)")
	before := f.servers["va"].gateway.byEngine.Load()
	c.exec("PREPARE p FROM 'SELECT id, b FROM a WHERE id = ? OR b = ?'")
	c.exec("SET @i = 1, @j = 20")
	c.expect("EXECUTE p USING @i, @j", "1 | 10\n2 | 20")
	c.fails("EXECUTE p USING @i", "1210")
	c.fails("PREPARE q FROM 'SELECT nosuch FROM a'", "1054")
	c.exec("PREPARE p FROM 'UPDATE a SET b = 11 WHERE id = ?'")
	c.exec("EXECUTE p USING @i")
	if n := f.servers["va"].gateway.byEngine.Load() - before; n > 0 {
		t.Errorf("the engine executed %d", n)
	}
	c.exec("SET @t = 'SELECT b FROM a WHERE id = ? INTO @z'")
	c.exec("PREPARE p FROM @t")
	c.exec("EXECUTE p USING @i")
	c.expect("SELECT @z", "11")
	c.exec("DEALLOCATE PREPARE p")
	c.fails("EXECUTE p USING @i", "p")
}

// SET of user variables to what queries return is executed by the core: its rules are those of a query's list.
func TestSetOfQueries(t *testing.T) {
	f := start(t)
	c := f.connect(t, "va", "shop")
	c.exec("CREATE TABLE a (id INT PRIMARY KEY, b INT)")
	c.exec("INSERT INTO a VALUES (1, 10), (2, 20)")
	c.exec("SET @n = (SELECT COUNT(*) FROM a), @e = EXISTS (SELECT 1 FROM a WHERE b > 15) + 1")
	c.expect("SELECT @n, @e", "2 | 2")
	c.fails("SET @n = (SELECT id FROM a)", "1242")
	c.fails("SET @n = (SELECT nosuch FROM a)", "1054")
	c.fails("SET @n = (SELECT id, b FROM a LIMIT 1)", "1241")
	c.exec("SET @n = 5, @m = @n + (SELECT MAX(id) FROM a)")
	c.expect("SELECT @n, @m", "5 | 7")
	c.exec("CREATE TABLE d SELECT id, SUM(b) OVER (ORDER BY id) AS s FROM a")
	c.expect("SELECT * FROM d ORDER BY id", "1 | 10\n2 | 30")
}

// A set operation has whole numbers without the zeros of ZEROFILL, and a FLOAT as a text with the digits that it shows.
func TestNumbersOfSets(t *testing.T) {
	c := start(t).connect(t, "va", "shop")
	c.exec("CREATE TABLE a (id INT PRIMARY KEY, z INT(5) ZEROFILL, y YEAR, f FLOAT, s VARCHAR(9))")
	c.exec("INSERT INTO a VALUES (1, 42, 0, 3.4e38, 'x')")
	c.expect("SELECT CONCAT(z, ''), CONCAT(y, '') FROM a", "00042 | 0000")
	c.expect("SELECT CONCAT(z, ''), CONCAT(y, '') FROM (SELECT z, y FROM a UNION ALL SELECT z, y FROM a) q", "42 | 0000\n42 | 0000")
	c.expect("SELECT f FROM a UNION SELECT s FROM a", "3.4e38\nx")
	c.expect("SELECT z FROM a UNION ALL SELECT y FROM a UNION SELECT s FROM a", "00042\n0000\nx")
	c.expect("SELECT DISTINCT JSON_TYPE(JSON_EXTRACT(JSON_ARRAY(q.v), '$[0]')) FROM (SELECT y AS v FROM a UNION ALL SELECT id FROM a) q", "INTEGER")
}
