package sql

import "testing"

// A view is compiled when it is made, and listed with its columns, without the engine.
func TestViewsAreListed(t *testing.T) {
	c := start(t).connect(t, "va", "shop")
	c.exec("CREATE TABLE p (id INT PRIMARY KEY, s VARCHAR(5) NOT NULL DEFAULT 'x', t TIME(2))")
	c.exec("CREATE VIEW v AS SELECT id + 0 AS i, s AS name, t FROM p")
	c.exec("CREATE OR REPLACE ALGORITHM=MERGE DEFINER='root'@'%' SQL SECURITY INVOKER VIEW w (a, b) AS SELECT id, s FROM p WHERE id > 1 WITH CHECK OPTION")
	c.exec("/*!50001 CREATE ALGORITHM=UNDEFINED */ /*!50013 DEFINER=`root`@`localhost` SQL SECURITY DEFINER */ /*!50001 VIEW `y` AS select 1 AS `one` FROM w FOR SHARE */")
	for query, code := range map[string]string{
		"CREATE VIEW v AS SELECT 1": "1050", "CREATE VIEW p AS SELECT 1": "1050", "CREATE VIEW x (a) AS SELECT 1, 2": "1353", "CREATE VIEW x AS SELECT 1 AS a, 2 AS A": "1060", "CREATE VIEW x AS SELECT @a": "1351",
		"CREATE VIEW x AS SELECT id FROM p INTO @a": "1350", "CREATE VIEW x AS SELECT nosuch FROM p": "1054", "CREATE VIEW x AS SELECT * FROM nosuch": "1146", "CREATE VIEW x AS SELECT * FROM x": "1462", "CREATE VIEW x AS FORM": "1064", "CREATE VIEW x AS": "1064", "CREATE VIEW nosuch.x AS SELECT 1": "1049",
	} {
		c.fails(query, code)
	}
	c.exec("CREATE VIEW IF NOT EXISTS v AS SELECT 1")
	c.expect("SHOW COLUMNS FROM v", "i | bigint | NO |  | NULL | \nname | varchar(5) | NO |  | NULL | \nt | time(2) | YES |  | NULL | ")
	c.expect("SHOW TABLES", "p\nv\nw\ny")
	c.expect("SHOW CREATE VIEW w", "w | CREATE VIEW `w` AS SELECT id, s FROM p WHERE id > 1 | utf8mb4 | utf8mb4_0900_bin")
	c.expect("SELECT table_name, column_name, column_type FROM information_schema.columns WHERE table_schema = 'shop' AND table_name IN ('w', 'y') ORDER BY 1, ordinal_position", "w | a | int\nw | b | varchar(5)\ny | one | bigint")
	c.expect("SELECT table_name, check_option, is_updatable, definer, security_type FROM information_schema.views", "v | NONE | YES | root@% | DEFINER\nw | CASCADED | YES | root@% | INVOKER\ny | NONE | YES | root@localhost | DEFINER")
	c.exec("DROP TABLE p")
	c.fails("SHOW COLUMNS FROM v", "1146")
	c.expect("SELECT column_name FROM information_schema.columns WHERE table_schema = 'shop'", "")
}
