# What drivers, ORMs and tools send, one statement a line: Connector/J, PyMySQL, mysql2, SQLAlchemy, Django,
# Hibernate, Rails, GORM, Prisma, Laravel, mysqldump, the mariadb client, sysbench.
CREATE TABLE account (id INTEGER NOT NULL AUTO_INCREMENT, name VARCHAR(60) NOT NULL, balance NUMERIC(12, 2) NOT NULL, opened DATE, PRIMARY KEY (id), UNIQUE (name))
CREATE TABLE note (id INTEGER NOT NULL AUTO_INCREMENT, account_id INTEGER NOT NULL, PRIMARY KEY (id), FOREIGN KEY(account_id) REFERENCES account (id))
CREATE TABLE sbtest1(id INTEGER NOT NULL AUTO_INCREMENT, k INTEGER DEFAULT '0' NOT NULL, c CHAR(120) DEFAULT '' NOT NULL, pad CHAR(60) DEFAULT '' NOT NULL, PRIMARY KEY (id)) /*! ENGINE = innodb */
CREATE INDEX k_1 ON sbtest1(k)
/* mysql-connector-j-9.1.0 (Revision: 1) */SELECT @@session.auto_increment_increment AS auto_increment_increment, @@character_set_client AS character_set_client, @@character_set_connection AS character_set_connection, @@character_set_results AS character_set_results, @@character_set_server AS character_set_server, @@collation_server AS collation_server, @@collation_connection AS collation_connection, @@init_connect AS init_connect, @@interactive_timeout AS interactive_timeout, @@license AS license, @@lower_case_table_names AS lower_case_table_names, @@max_allowed_packet AS max_allowed_packet, @@net_write_timeout AS net_write_timeout, @@performance_schema AS performance_schema, @@sql_mode AS sql_mode, @@system_time_zone AS system_time_zone, @@time_zone AS time_zone, @@transaction_isolation AS transaction_isolation, @@wait_timeout AS wait_timeout
SET character_set_results = NULL
SET NAMES utf8mb4
SET autocommit=1
SET SESSION TRANSACTION ISOLATION LEVEL SERIALIZABLE
select @@session.transaction_read_only
SET SESSION TRANSACTION READ WRITE
SELECT @@session.transaction_isolation
SELECT TABLE_SCHEMA, NULL, TABLE_NAME, COLUMN_NAME, CASE WHEN UPPER(DATA_TYPE)='DECIMAL' THEN 3 WHEN UPPER(DATA_TYPE)='INT' THEN 4 ELSE 1111 END AS DATA_TYPE, COLUMN_DEFAULT, ORDINAL_POSITION, IF (EXTRA LIKE '%auto_increment%','YES','NO') AS IS_AUTOINCREMENT FROM INFORMATION_SCHEMA.COLUMNS WHERE TABLE_SCHEMA = 'java' AND TABLE_NAME = 't' AND COLUMN_NAME LIKE '%' ORDER BY TABLE_SCHEMA, TABLE_NAME, ORDINAL_POSITION
SELECT TABLE_SCHEMA AS TABLE_CAT, NULL AS TABLE_SCHEM, TABLE_NAME, CASE WHEN TABLE_TYPE='BASE TABLE' THEN CASE WHEN TABLE_SCHEMA = 'mysql' OR TABLE_SCHEMA = 'performance_schema' THEN 'SYSTEM TABLE' ELSE 'TABLE' END WHEN TABLE_TYPE='TEMPORARY' THEN 'LOCAL_TEMPORARY' ELSE TABLE_TYPE END AS TABLE_TYPE, TABLE_COMMENT AS REMARKS FROM INFORMATION_SCHEMA.TABLES WHERE TABLE_NAME = 't' HAVING TABLE_TYPE IN ('TABLE',null,null) ORDER BY TABLE_TYPE, TABLE_SCHEMA, TABLE_NAME
SELECT TABLE_SCHEMA AS TABLE_CAT, COLUMN_NAME, SEQ_IN_INDEX AS KEY_SEQ, 'PRIMARY' AS PK_NAME FROM INFORMATION_SCHEMA.STATISTICS WHERE TABLE_NAME = 't' AND INDEX_NAME='PRIMARY' ORDER BY TABLE_SCHEMA, TABLE_NAME, INDEX_NAME, SEQ_IN_INDEX
SELECT DISTINCT A.REFERENCED_TABLE_SCHEMA AS PKTABLE_CAT, B.DELETE_RULE, R.CONSTRAINT_NAME FROM INFORMATION_SCHEMA.KEY_COLUMN_USAGE A JOIN INFORMATION_SCHEMA.TABLE_CONSTRAINTS TC USING (CONSTRAINT_NAME, TABLE_NAME) JOIN INFORMATION_SCHEMA.REFERENTIAL_CONSTRAINTS B USING (CONSTRAINT_NAME, TABLE_NAME) LEFT JOIN INFORMATION_SCHEMA.TABLE_CONSTRAINTS R ON (R.CONSTRAINT_NAME = B.UNIQUE_CONSTRAINT_NAME) WHERE A.TABLE_NAME='note' ORDER BY A.TABLE_SCHEMA, A.TABLE_NAME, A.ORDINAL_POSITION
SHOW FULL TABLES FROM `java` LIKE '%'
SHOW VARIABLES LIKE 'sql_mode'
SHOW VARIABLES LIKE 'lower_case_table_names'
SELECT DATABASE()
SELECT @@transaction_isolation
SELECT CAST('test collated returns' AS CHAR CHARACTER SET utf8mb4) COLLATE utf8mb4_bin AS anon_1
DESCRIBE `java`.`account`
SHOW CREATE TABLE `account`
INSERT INTO account (name, balance, opened) VALUES (?, ?, ?)
SELECT account.id AS account_id, account.name AS account_name, account.balance AS account_balance, account.opened AS account_opened FROM account WHERE account.name = ? FOR UPDATE
SELECT note.account_id AS note_account_id, note.id AS note_id FROM note WHERE note.account_id IN (?, ?)
SELECT anon_1.account_id AS anon_1_account_id, note_1.id AS note_1_id FROM (SELECT account.id AS account_id FROM account WHERE account.balance > ? ORDER BY account.id LIMIT ?, ?) AS anon_1 LEFT OUTER JOIN note AS note_1 ON anon_1.account_id = note_1.account_id ORDER BY anon_1.account_id
SELECT count(*) AS count_1, sum(account.balance) AS sum_1 FROM account GROUP BY year(account.opened) HAVING count(*) > ?
SELECT EXISTS (SELECT 1 FROM account WHERE account.name LIKE concat('%%', ?, '%%')) AS anon_1
UPDATE account SET balance=(account.balance - ?) WHERE account.id = ?
DELETE FROM note WHERE note.id = ?
SELECT row_number() OVER (PARTITION BY account.opened ORDER BY account.balance DESC) AS anon_1 FROM account
SELECT VERSION(), @@sql_mode, @@default_storage_engine, @@sql_auto_is_null, @@lower_case_table_names, CONVERT_TZ('2001-01-01 01:00:00', 'UTC', 'UTC') IS NOT NULL
SET SQL_AUTO_IS_NULL = 0
SELECT table_name, table_type, table_comment FROM information_schema.tables WHERE table_schema = DATABASE()
SELECT column_name, data_type, CASE WHEN collation_name = 'utf8mb4_general_ci' THEN NULL ELSE collation_name END AS collation_name FROM information_schema.columns WHERE table_name = ? AND table_schema = DATABASE()
SELECT COUNT(*) AS `__count` FROM `account`
SELECT (1) AS `a` FROM `account` WHERE `account`.`name` = 'x' LIMIT 1
SELECT `account`.`id`, `account`.`name` FROM `account` WHERE (`account`.`name` LIKE BINARY '%x%' AND NOT (`account`.`id` IN (1, 2))) ORDER BY `account`.`id` ASC LIMIT 21
INSERT INTO `account` (`name`, `balance`) VALUES ('a', '1.00'), ('b', '2.00') ON DUPLICATE KEY UPDATE `balance` = VALUES(`balance`)
INSERT IGNORE INTO `account` (`name`, `balance`) VALUES ('a', '1.00')
UPDATE `account` SET `balance` = (CASE WHEN (`account`.`id` = 1) THEN '1.00' WHEN (`account`.`id` = 2) THEN '2.00' ELSE NULL END) WHERE `account`.`id` IN (1, 2)
SAVEPOINT `s139_x1`
ROLLBACK TO SAVEPOINT `s139_x1`
RELEASE SAVEPOINT `s139_x1`
SET foreign_key_checks=0
ALTER TABLE `account` ADD COLUMN `extra` longtext NULL
ALTER TABLE `account` DROP COLUMN `extra`
ALTER TABLE `account` ADD CONSTRAINT `acc_u` UNIQUE (`name`, `opened`)
ALTER TABLE `note` ADD CONSTRAINT `note_fk` FOREIGN KEY (`account_id`) REFERENCES `account` (`id`) ON DELETE CASCADE
ALTER TABLE `account` MODIFY `balance` numeric(14, 2) NOT NULL
DROP INDEX `acc_u` ON `account`
select a1_0.id,a1_0.balance,a1_0.name from account a1_0 where a1_0.id=?
select n1_0.id from note n1_0 left join account a on a.id=n1_0.account_id where a.balance between ? and ? order by n1_0.id limit ? offset ?
select next_val as id_val from hibernate_sequence for update
select a1_0.id from account a1_0 where a1_0.id=? for update nowait
SELECT `account`.* FROM `account` WHERE `account`.`id` = 1 LIMIT 1
SELECT 1 AS one FROM `account` WHERE `account`.`name` = BINARY 'x' LIMIT 1
SELECT fk.referenced_table_name AS 'to_table', fk.referenced_column_name AS 'primary_key', fk.column_name AS 'column', fk.constraint_name AS 'name', rc.update_rule AS 'on_update', rc.delete_rule AS 'on_delete' FROM information_schema.referential_constraints rc JOIN information_schema.key_column_usage fk USING (constraint_schema, constraint_name) WHERE fk.referenced_column_name IS NOT NULL AND fk.table_schema = database() AND fk.table_name = 'note' AND rc.constraint_schema = database() AND rc.table_name = 'note'
SHOW KEYS FROM `account`
SHOW FULL FIELDS FROM `account`
SELECT GET_LOCK('3423423', 0)
SELECT RELEASE_LOCK('3423423')
SET @@SESSION.sql_mode = CONCAT(CONCAT(@@sql_mode, ',STRICT_ALL_TABLES'), ',NO_AUTO_VALUE_ON_ZERO'), @@SESSION.sql_auto_is_null = 0, @@SESSION.wait_timeout = 2147483
SELECT SCHEMA_NAME from Information_schema.SCHEMATA where SCHEMA_NAME LIKE 'x%' ORDER BY SCHEMA_NAME='x' DESC,SCHEMA_NAME limit 1
SELECT count(*) FROM information_schema.tables WHERE table_schema = 'x' AND table_name = 'account' AND table_type = 'BASE TABLE'
SELECT column_name, column_default, is_nullable = 'YES', data_type, character_maximum_length, column_type, column_key, extra, column_comment, numeric_precision, numeric_scale , datetime_precision FROM information_schema.columns WHERE table_schema = 'x' AND table_name = 'account' ORDER BY ORDINAL_POSITION
INSERT INTO `account` (`name`,`balance`,`opened`) VALUES ('jinzhu',18,'2024-01-01 00:00:00') RETURNING `id`
SELECT * FROM `account` WHERE (name = 'jinzhu' AND balance >= 20) OR (name <> 'x') ORDER BY `account`.`id` LIMIT 1
UPDATE `account` SET `balance`=balance * 2 + 100,`name`='x' WHERE id = 3 ORDER BY id LIMIT 1
SELECT `x`.`account`.`id`, `x`.`account`.`name` FROM `x`.`account` WHERE (`x`.`account`.`id` = ? AND 1=1) LIMIT ? OFFSET ?
SELECT COUNT(*) FROM (SELECT `x`.`account`.`id` FROM `x`.`account` WHERE 1=1 LIMIT ? OFFSET ?) AS `sub`
select table_name as `name`, (data_length + index_length) as `size`, table_comment as `comment`, engine as `engine`, table_collation as `collation` from information_schema.tables where table_schema = 'x' and table_type in ('BASE TABLE', 'SYSTEM VERSIONED') order by table_name
select * from `account` where exists (select * from `note` where `account`.`id` = `note`.`account_id`) and `balance` is not null order by `id` desc limit 15 offset 0
select `account`.*, (select count(*) from `note` where `account`.`id` = `note`.`account_id`) as `notes_count` from `account`
insert into `account` (`name`, `balance`) values (?, ?) on duplicate key update `balance` = values(`balance`), `name` = `account`.`name`
/*!40101 SET @OLD_CHARACTER_SET_CLIENT=@@CHARACTER_SET_CLIENT */
/*!40014 SET @OLD_UNIQUE_CHECKS=@@UNIQUE_CHECKS, UNIQUE_CHECKS=0 */
/*!50503 SET NAMES utf8mb4 */
SET SQL_QUOTE_SHOW_CREATE=1
SELECT /*!40001 SQL_NO_CACHE */ * FROM `account`
LOCK TABLES `account` WRITE
/*!40000 ALTER TABLE `account` DISABLE KEYS */
UNLOCK TABLES
FLUSH /*!40101 LOCAL */ TABLES
START TRANSACTION /*!40100 WITH CONSISTENT SNAPSHOT */
SHOW TRIGGERS LIKE 'account'
SELECT LOGFILE_GROUP_NAME, FILE_NAME FROM INFORMATION_SCHEMA.FILES WHERE FILE_TYPE = 'UNDO LOG' GROUP BY LOGFILE_GROUP_NAME, FILE_NAME ORDER BY LOGFILE_GROUP_NAME
select @@version_comment limit 1
select USER()
SHOW WARNINGS
SELECT c FROM sbtest1 WHERE id=?
SELECT c FROM sbtest1 WHERE id BETWEEN ? AND ?
SELECT SUM(k) FROM sbtest1 WHERE id BETWEEN ? AND ?
SELECT DISTINCT c FROM sbtest1 WHERE id BETWEEN ? AND ? ORDER BY c
UPDATE sbtest1 SET k=k+1 WHERE id=?
UPDATE sbtest1 SET c=? WHERE id=?
DELETE FROM sbtest1 WHERE id=?
INSERT INTO sbtest1 (id, k, c, pad) VALUES (?, ?, ?, ?)
SELECT LAST_INSERT_ID()
SELECT FOUND_ROWS()
SELECT CONNECTION_ID()
KILL QUERY 99999
XA START '1-1'
SELECT STRAIGHT_JOIN a.id FROM account a INNER JOIN note n ON n.account_id = a.id WHERE a.opened > DATE_SUB(CURDATE(), INTERVAL 30 DAY)
SELECT DATE_FORMAT(opened, '%Y-%m') ym, SUM(balance) FROM account GROUP BY ym ORDER BY ym
SELECT JSON_UNQUOTE(JSON_EXTRACT(name, '$.a')) FROM account
SELECT GROUP_CONCAT(DISTINCT name ORDER BY name SEPARATOR ', ') FROM account
