// MySQL Connector/J against a cluster: one line, exit 1 if anything failed.
import java.math.BigDecimal;
import java.sql.*;
import java.util.*;

public class Clients {
    static int passed, failed;

    interface Body { void run() throws Exception; }

    static void check(String what, Body body) {
        try {
            body.run();
            passed++;
        } catch (Throwable e) {
            failed++;
            System.err.println("  Connector/J: " + what + ": " + e);
        }
    }

    static void equal(Object got, Object want) {
        if (!Objects.equals(got, want)) throw new AssertionError("got " + got + ", want " + want);
    }

    static Connection open(String user, String password, String more) throws SQLException {
        String url = "jdbc:mysql://" + System.getenv("HOST") + ":" + System.getenv("PORT") + "/?sslMode=VERIFY_IDENTITY"
            + "&trustCertificateKeyStoreUrl=file:" + System.getenv("STORE") + "&trustCertificateKeyStorePassword=changeit" + more;
        return DriverManager.getConnection(url, user, password);
    }

    static long count(Connection db, String table) throws SQLException {
        try (Statement s = db.createStatement(); ResultSet r = s.executeQuery("SELECT COUNT(*) FROM " + table)) {
            r.next();
            return r.getLong(1);
        }
    }

    public static void main(String[] args) throws Exception {
        String password = System.getenv("ISOCHRON_PASSWORD");
        for (String more : new String[] {"", "&useServerPrepStmts=true&cachePrepStmts=true&rewriteBatchedStatements=true"}) {
            try (Connection db = open("root", password, more)) { work(db); }
        }
        check("caching_sha2_password", () -> {
            try (Connection db = open("root", password, ""); Statement s = db.createStatement()) {
                s.execute("CREATE USER IF NOT EXISTS jay IDENTIFIED WITH caching_sha2_password BY 'geheim'");
                for (int i = 0; i < 2; i++) open("jay", "geheim", "").close();
                s.execute("DROP USER jay");
            }
        });
        check("wrong password", () -> {
            try {
                open("root", "wrong", "").close();
            } catch (SQLException e) {
                equal(e.getErrorCode(), 1045);
                return;
            }
            throw new AssertionError("a wrong password was taken");
        });
        System.out.println("Connector/J " + DriverManager.getDrivers().nextElement().getMajorVersion() + ": " + passed + " passed, " + failed + " failed");
        System.exit(failed == 0 ? 0 : 1);
    }

    static void work(Connection db) {
        check("databases and tables", () -> {
            try (Statement s = db.createStatement()) {
                s.execute("DROP DATABASE IF EXISTS java");
                s.execute("CREATE DATABASE java");
            }
            db.setCatalog("java"); // a Statement keeps the database that it was made in
            try (Statement s = db.createStatement()) {
                s.execute("CREATE TABLE t (id BIGINT AUTO_INCREMENT PRIMARY KEY, d DECIMAL(20,6), at DATETIME(6), s VARCHAR(80) UNIQUE, b BLOB)");
            }
        });
        check("values", () -> {
            byte[] bytes = new byte[256];
            for (int i = 0; i < 256; i++) bytes[i] = (byte) i;
            Timestamp at = Timestamp.valueOf("2024-02-29 12:59:59.123456");
            try (PreparedStatement p = db.prepareStatement("INSERT INTO t (d, at, s, b) VALUES (?, ?, ?, ?)", Statement.RETURN_GENERATED_KEYS)) {
                p.setBigDecimal(1, new BigDecimal("-12345678901234.567890"));
                p.setTimestamp(2, at);
                p.setString(3, "žluť 🐎");
                p.setBytes(4, bytes);
                equal(p.executeUpdate(), 1);
                ResultSet keys = p.getGeneratedKeys();
                keys.next();
                equal(keys.getLong(1), 1L);
            }
            try (PreparedStatement p = db.prepareStatement("SELECT d, at, s, b FROM t WHERE id = ?")) {
                p.setLong(1, 1);
                ResultSet r = p.executeQuery();
                r.next();
                equal(r.getBigDecimal(1), new BigDecimal("-12345678901234.567890"));
                equal(r.getTimestamp(2), at);
                equal(r.getString(3), "žluť 🐎");
                if (!Arrays.equals(r.getBytes(4), bytes)) throw new AssertionError("bytes");
            }
        });
        check("NULLs", () -> {
            try (PreparedStatement p = db.prepareStatement("INSERT INTO t (d, s) VALUES (?, ?)")) {
                p.setNull(1, Types.DECIMAL);
                p.setNull(2, Types.VARCHAR);
                p.executeUpdate();
            }
            try (Statement s = db.createStatement(); ResultSet r = s.executeQuery("SELECT d FROM t WHERE id = 2")) {
                r.next();
                equal(r.getBigDecimal(1), null);
            }
        });
        check("duplicate key", () -> {
            try (Statement s = db.createStatement()) {
                s.executeUpdate("INSERT INTO t (id) VALUES (1)");
            } catch (SQLIntegrityConstraintViolationException e) {
                equal(e.getErrorCode(), 1062);
                return;
            }
            throw new AssertionError("a duplicate key was taken");
        });
        check("rollback", () -> {
            db.setAutoCommit(false);
            try (Statement s = db.createStatement()) { s.executeUpdate("DELETE FROM t WHERE id > 0"); }
            db.rollback();
            db.setAutoCommit(true);
            equal(count(db, "t"), 2L);
        });
        check("batch", () -> {
            db.setAutoCommit(false);
            try (PreparedStatement p = db.prepareStatement("INSERT INTO t (s) VALUES (?)")) {
                for (int i = 0; i < 200; i++) {
                    p.setString(1, "row " + i);
                    p.addBatch();
                }
                equal(p.executeBatch().length, 200);
            }
            db.commit();
            db.setAutoCommit(true);
            equal(count(db, "t"), 202L);
        });
        check("session", () -> {
            equal(db.isValid(30), true);
            equal(db.getTransactionIsolation(), Connection.TRANSACTION_SERIALIZABLE);
            db.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
            db.setReadOnly(false);
        });
        check("metadata", () -> {
            DatabaseMetaData m = db.getMetaData();
            List<String> columns = new ArrayList<>();
            try (ResultSet r = m.getColumns("java", null, "t", "%")) { while (r.next()) columns.add(r.getString("COLUMN_NAME")); }
            equal(columns, List.of("id", "d", "at", "s", "b"));
            try (ResultSet r = m.getTables("java", null, "%", new String[] {"TABLE"})) { r.next(); equal(r.getString("TABLE_NAME"), "t"); }
            try (ResultSet r = m.getPrimaryKeys("java", null, "t")) { r.next(); equal(r.getString("COLUMN_NAME"), "id"); }
        });
    }
}
