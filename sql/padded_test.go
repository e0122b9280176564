package sql

import "testing"

// Texts that differ in spaces at the end are one to a unique key whose collation pads, and two to one whose does not.
func TestUniqueKeysOfPaddedTexts(t *testing.T) {
	f := start(t)
	c := f.connect(t, "va", "shop")
	c.exec("CREATE TABLE p (k VARCHAR(9) COLLATE utf8mb4_general_ci PRIMARY KEY, u VARCHAR(9) COLLATE utf8mb4_bin, n VARCHAR(9) COLLATE utf8mb4_0900_ai_ci, v INT, UNIQUE KEY (u), UNIQUE KEY (n), KEY (u, v))")
	c.exec("INSERT INTO p VALUES ('a', 'x', 'n', 1), ('b ', 'y ', 'n ', 2)")
	c.fails("INSERT INTO p VALUES ('A ', 'z', 'o', 3)", "Duplicate entry 'A ' for key 'p.PRIMARY'")
	c.fails("INSERT INTO p VALUES ('c', 'x  ', 'o', 3)", "Duplicate entry 'x  ' for key 'p.u'")
	c.fails("INSERT INTO p VALUES ('c', 'z', 'o', 3), ('c ', 'w', 'q', 3)", "Duplicate entry 'c ' for key 'p.PRIMARY'")
	c.fails("UPDATE p SET k = 'b' WHERE k = 'a '", "Duplicate entry 'b' for key 'p.PRIMARY'")
	c.fails("UPDATE p SET u = 'y' WHERE k = 'a'", "Duplicate entry 'y' for key 'p.u'")
	c.exec("INSERT IGNORE INTO p VALUES ('a  ', 'q', 'q', 9)")
	c.exec("INSERT INTO p VALUES ('B', 'q', 'q', 9) ON DUPLICATE KEY UPDATE v = v + 10")
	c.exec("UPDATE p SET k = 'a ', u = 'x ' WHERE k = 'a' AND u = 'x'")
	c.exec("REPLACE INTO p VALUES ('c', 'y', 'm', 4)")
	c.expect("SELECT CONCAT(k, '.'), CONCAT(u, '.'), CONCAT(n, '.'), v FROM p ORDER BY k", "a . | x . | n. | 1\nc. | y. | m. | 4")
	c.expect("SELECT v FROM p WHERE k = 'a'", "1")
	c.expect("SELECT v FROM p WHERE k IN ('a', 'a ', 'C  ')", "1\n4")
	c.expect("SELECT CONCAT(u, '.') FROM p WHERE u >= 'x' AND u < 'y'", "x .")
	c.expect("SELECT v FROM p WHERE u = 'x   ' FOR UPDATE", "1")
	c.expect("SELECT v FROM p WHERE u LIKE 'x%'", "1")
	c.exec("DELETE FROM p WHERE k = 'a  '")
	c.exec("DELETE FROM p WHERE u = 'y '")
	c.expect("SELECT COUNT(*) FROM p", "0")
	c.exec("DROP TABLE p")
}

// A unique index on rows that are there, a change of a collation, and TRUNCATE.
func TestPaddedIndexesOfExistingRows(t *testing.T) {
	f := start(t)
	c := f.connect(t, "va", "shop")
	c.exec("CREATE TABLE p (id INT PRIMARY KEY, u VARCHAR(9) COLLATE utf8mb4_general_ci, KEY (u))")
	c.exec("INSERT INTO p VALUES (1, 'a'), (2, 'a '), (3, 'b')")
	c.fails("CREATE UNIQUE INDEX x ON p (u)", "Error 1062 (23000): Duplicate entry 'a ' for key 'p.x'")
	c.exec("ALTER TABLE p MODIFY u VARCHAR(9) COLLATE utf8mb4_0900_ai_ci")
	c.exec("CREATE UNIQUE INDEX x ON p (u)")
	c.expect("SELECT id FROM p WHERE u = 'a'", "1")
	c.fails("ALTER TABLE p MODIFY u VARCHAR(9) COLLATE utf8mb4_general_ci", "Error 1062 (23000): Duplicate entry 'a ' for key 'p.x'")
	c.exec("DELETE FROM p WHERE id = 2")
	c.exec("ALTER TABLE p MODIFY u VARCHAR(9) COLLATE utf8mb4_general_ci")
	c.fails("INSERT INTO p VALUES (4, 'A ')", "Duplicate entry 'A ' for key 'p.x'")
	c.expect("SELECT id FROM p WHERE u = 'b '", "3")
	c.exec("TRUNCATE TABLE p")
	c.exec("INSERT INTO p VALUES (1, 'a')")
	c.fails("INSERT INTO p VALUES (2, 'a ')", "Duplicate entry 'a ' for key 'p.x'")
}

// A foreign key of texts that pad refers to a row whose key has other spaces at the end.
func TestForeignKeysOfPaddedTexts(t *testing.T) {
	f := start(t)
	c := f.connect(t, "va", "shop")
	c.exec("CREATE TABLE parent (k VARCHAR(9) COLLATE utf8mb4_general_ci PRIMARY KEY, u VARCHAR(9) COLLATE utf8mb4_bin UNIQUE)")
	c.exec("CREATE TABLE child (id INT PRIMARY KEY, k VARCHAR(9) COLLATE utf8mb4_general_ci, u VARCHAR(9) COLLATE utf8mb4_bin, FOREIGN KEY (k) REFERENCES parent (k) ON DELETE CASCADE, FOREIGN KEY (u) REFERENCES parent (u))")
	c.exec("INSERT INTO parent VALUES ('a', 'x'), ('b ', 'y ')")
	c.exec("INSERT INTO child VALUES (1, 'A  ', NULL), (2, 'b', 'y')")
	c.fails("INSERT INTO child VALUES (3, 'c ', NULL)", "")
	c.fails("INSERT INTO child VALUES (3, NULL, 'X')", "")
	c.fails("UPDATE parent SET u = 'z' WHERE k = 'b'", "")
	c.exec("DELETE FROM parent WHERE k = 'a '")
	c.expect("SELECT id FROM child", "2")
	c.exec("INSERT INTO child VALUES (3, NULL, 'y ')")
	c.fails("DELETE FROM parent WHERE u = 'y'", "1451")
	c.exec("DELETE FROM child WHERE id = 3")
	c.exec("DELETE FROM parent WHERE u = 'y'") // the primary key comes first, and its action deletes the child
	c.expect("SELECT COUNT(*) FROM child", "0")
}
