// mysql2 for Node against a cluster: one line, exit 1 if anything failed.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { createRequire } from 'node:module';

const require = createRequire(process.env.MODULES + '/');
const mysql = require('mysql2/promise');
const { version } = require('mysql2/package.json');

const options = {
  host: process.env.HOST, port: Number(process.env.PORT), user: 'root', password: process.env.ISOCHRON_PASSWORD,
  ssl: { ca: fs.readFileSync(process.env.CA), rejectUnauthorized: true, verifyIdentity: true },
  charset: 'utf8mb4', timezone: 'Z', connectTimeout: 60000,
};
let passed = 0, failed = 0;
async function check(what, body) {
  try { await body(); passed++; } catch (e) { failed++; console.error(`  mysql2: ${what}: ${e.message}`); }
}
const db = await mysql.createConnection(options);
const first = async (q, args) => (await db.query(q, args))[0][0];

await check('databases and tables', async () => {
  await db.query('DROP DATABASE IF EXISTS js');
  await db.query('CREATE DATABASE js');
  await db.changeUser({ database: 'js' }).catch(() => db.query('USE js'));
  await db.query('CREATE TABLE t (id BIGINT AUTO_INCREMENT PRIMARY KEY, d DECIMAL(20,6), at DATETIME(3), s VARCHAR(80) UNIQUE, b BLOB, j JSON)');
});
await check('prepared statements', async () => {
  const at = new Date('2024-02-29T23:59:59.123Z'), b = Buffer.from([...Array(256).keys()]);
  const [r] = await db.execute('INSERT INTO t (d, at, s, b, j) VALUES (?, ?, ?, ?, ?)', ['-12345678901234.567890', at, 'žluť 🐎', b, '{"a": 1}']);
  assert.equal(r.insertId, 1);
  const [[row]] = await db.execute('SELECT d, at, s, b, j FROM t WHERE id = ?', [1]);
  assert.equal(row.d, '-12345678901234.567890');
  assert.equal(row.at.getTime(), at.getTime());
  assert.equal(row.s, 'žluť 🐎');
  assert.ok(b.equals(row.b));
  assert.deepEqual(row.j, { a: 1 });
});
await check('NULLs', async () => {
  const [r] = await db.execute('INSERT INTO t (d, s) VALUES (?, ?)', [null, null]);
  assert.deepEqual((await db.execute('SELECT d, s FROM t WHERE id = ?', [r.insertId]))[0], [{ d: null, s: null }]);
});
await check('duplicate key', async () => {
  await assert.rejects(db.query('INSERT INTO t (id) VALUES (1)'), (e) => e.errno === 1062 && e.sqlState === '23000');
});
await check('rollback', async () => {
  await db.beginTransaction();
  await db.query('DELETE FROM t WHERE id > 0');
  await db.rollback();
  assert.equal(Number((await first('SELECT COUNT(*) n FROM t')).n), 2);
});
await check('batch', async () => {
  const [r] = await db.query('INSERT INTO t (s) VALUES ?', [[...Array(200).keys()].map((i) => [`row ${i}`])]);
  assert.equal(r.affectedRows, 200);
});
await check('session', async () => {
  await db.ping();
  assert.equal((await first('SELECT @@transaction_isolation i')).i, 'SERIALIZABLE');
  assert.equal((await first("SELECT TABLE_NAME n FROM information_schema.TABLES WHERE TABLE_SCHEMA = 'js'")).n, 't');
});
await check('caching_sha2_password', async () => {
  await db.query("CREATE USER IF NOT EXISTS js IDENTIFIED WITH caching_sha2_password BY 'geheim'");
  for (let i = 0; i < 2; i++) await (await mysql.createConnection({ ...options, user: 'js', password: 'geheim' })).end();
  await db.query('DROP USER js');
});
await check('wrong password', async () => {
  await assert.rejects(mysql.createConnection({ ...options, password: 'wrong' }), (e) => e.errno === 1045);
});
await check('pool', async () => {
  const pool = mysql.createPool({ ...options, database: 'js', connectionLimit: 8 });
  await Promise.all([...Array(32).keys()].map((i) => pool.execute('SELECT ? + 1 AS n', [i])));
  await pool.end();
});
await db.end();
console.log(`mysql2 ${version}: ${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
