"""PyMySQL and SQLAlchemy against a cluster: one line for each, exit 1 if anything failed."""
import datetime
import decimal
import os
import sys
import traceback

import pymysql
import sqlalchemy as sa
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column

HOST, PORT, CA = os.environ["HOST"], int(os.environ["PORT"]), os.environ["CA"]
PASSWORD = os.environ["ISOCHRON_PASSWORD"]


class Checks:
    def __init__(self, name):
        self.name, self.passed, self.failed = name, 0, 0

    def run(self, what, body):
        try:
            body()
            self.passed += 1
        except Exception as e:
            self.failed += 1
            print(f"  {self.name}: {what}: {e!r}", file=sys.stderr)
            if os.environ.get("VERBOSE"):
                traceback.print_exc()

    def end(self):
        print(f"{self.name}: {self.passed} passed, {self.failed} failed")
        return self.failed


def equal(got, want):
    assert got == want, f"got {got!r}, want {want!r}"


def driver():
    c = Checks("PyMySQL " + pymysql.__version__)

    def connect(**more):
        return pymysql.connect(host=HOST, port=PORT, user="root", password=PASSWORD,
                               ssl_ca=CA, ssl_verify_cert=True, ssl_verify_identity=True, **more)

    db = connect()
    cur = db.cursor()

    def one(text, *args):
        cur.execute(text, args or None)
        return cur.fetchone()

    def ddl():
        cur.execute("DROP DATABASE IF EXISTS py")
        cur.execute("CREATE DATABASE py")
        cur.execute("USE py")
        cur.execute("CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, d DECIMAL(12,3), at DATETIME(6), day DATE, s VARCHAR(80), b BLOB, UNIQUE (s))")

    def values():
        at = datetime.datetime(2024, 2, 29, 23, 59, 59, 123456)
        row = (decimal.Decimal("-123456.789"), at, at.date(), "žluťoučký 🐎 'x' \\", bytes(range(256)))
        cur.execute("INSERT INTO t (d, at, day, s, b) VALUES (%s, %s, %s, %s, %s)", row)
        equal(cur.lastrowid, 1)
        equal(one("SELECT d, at, day, s, b FROM t WHERE id = 1"), row)

    def nulls():
        cur.execute("INSERT INTO t () VALUES ()")
        equal(one("SELECT d, at, day, s, b FROM t WHERE id = %s", cur.lastrowid), (None,) * 5)
        db.commit()

    def duplicate():
        db.rollback()
        try:
            cur.execute("INSERT INTO t (id) VALUES (1)")
        except pymysql.err.IntegrityError as e:
            equal(e.args[0], 1062)
        else:
            raise AssertionError("a duplicate key was taken")
        db.rollback()

    def rollback():
        db.begin()
        cur.execute("DELETE FROM t WHERE id > 0")
        db.rollback()
        equal(one("SELECT COUNT(*) FROM t")[0], 2)

    def rollback_of_nothing_begun():
        """The client sends no BEGIN: it counts on the status flags of the handshake."""
        db.commit()  # what it has counted before is locked
        other = connect(database="py")
        with other.cursor() as oc:
            oc.execute("INSERT INTO t (s) VALUES ('never')")
        other.rollback()
        other.close()
        db.commit()
        equal(one("SELECT COUNT(*) FROM t WHERE s = 'never'")[0], 0)

    def batch():
        equal(cur.executemany("INSERT INTO t (s) VALUES (%s)", [(f"row {i}",) for i in range(200)]), 200)
        db.commit()
        equal(one("SELECT COUNT(*) FROM t")[0], 202)

    def wrong():
        try:
            pymysql.connect(host=HOST, port=PORT, user="root", password="wrong", ssl_ca=CA)
        except pymysql.err.OperationalError as e:
            equal(e.args[0], 1045)
        else:
            raise AssertionError("a wrong password was taken")

    def sha2():
        cur.execute("CREATE USER IF NOT EXISTS py IDENTIFIED WITH caching_sha2_password BY 'geheim'")
        for _ in range(2):
            other = pymysql.connect(host=HOST, port=PORT, user="py", password="geheim", ssl_ca=CA)
            other.close()
        cur.execute("DROP USER py")

    def session():
        db.ping(reconnect=False)
        cur.execute("SET NAMES utf8mb4")
        equal(one("SELECT @@transaction_isolation")[0], "SERIALIZABLE")
        equal(one("SHOW VARIABLES LIKE 'autocommit'")[0], "autocommit")
        assert one("SHOW COLLATION LIKE 'utf8mb4_0900_ai_ci'")
        assert db._secure

    c.run("databases and tables", ddl)
    for what, body in [("values", values), ("NULLs", nulls), ("duplicate key", duplicate), ("rollback", rollback), ("rollback without BEGIN", rollback_of_nothing_begun),
                       ("batch", batch), ("wrong password", wrong), ("caching_sha2_password", sha2), ("session", session)]:
        c.run(what, body)
    db.close()
    return c.end()


class Base(DeclarativeBase):
    pass


class Account(Base):
    __tablename__ = "account"
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(sa.String(60), unique=True)
    balance: Mapped[decimal.Decimal] = mapped_column(sa.Numeric(12, 2), default=0)
    opened: Mapped[datetime.date | None]
    notes: Mapped[list["Note"]] = sa.orm.relationship(back_populates="account")


class Note(Base):
    __tablename__ = "note"
    id: Mapped[int] = mapped_column(primary_key=True)
    account_id: Mapped[int] = mapped_column(sa.ForeignKey("account.id"))
    text: Mapped[str] = mapped_column(sa.Text)
    account: Mapped[Account] = sa.orm.relationship(back_populates="notes")


def orm():
    c = Checks("SQLAlchemy " + sa.__version__)
    ssl = {"ssl": {"ca": CA, "check_hostname": True}}
    url = sa.URL.create("mysql+pymysql", "root", PASSWORD, HOST, PORT)
    with sa.create_engine(url, connect_args=ssl).begin() as conn:
        conn.exec_driver_sql("DROP DATABASE IF EXISTS alchemy")
        conn.exec_driver_sql("CREATE DATABASE alchemy")
    engine = sa.create_engine(url.set(database="alchemy"), connect_args=ssl, pool_pre_ping=True, isolation_level="SERIALIZABLE")

    def make():
        Base.metadata.create_all(engine)
        Base.metadata.create_all(engine)  # finds them there

    def inspect():
        i = sa.inspect(engine)
        assert i.has_table("account") and not i.has_table("nothing")
        equal(sorted(i.get_table_names()), ["account", "note"])
        columns = {col["name"]: col for col in i.get_columns("account")}
        equal(list(columns), ["id", "name", "balance", "opened"])
        assert isinstance(columns["balance"]["type"], sa.Numeric) and columns["opened"]["nullable"]
        equal(i.get_pk_constraint("account")["constrained_columns"], ["id"])
        equal(i.get_foreign_keys("note")[0]["referred_table"], "account")
        assert any(x["unique"] and x["column_names"] == ["name"] for x in i.get_indexes("account"))

    def reflect():
        m = sa.MetaData()
        m.reflect(engine)
        equal(sorted(m.tables), ["account", "note"])

    def insert():
        with Session(engine) as s:
            s.add_all([Account(name=f"a{i}", balance=decimal.Decimal("10.50"), notes=[Note(text="é" * i)]) for i in range(20)])
            s.commit()
            equal(s.scalar(sa.select(sa.func.sum(Account.balance))), decimal.Decimal("210.00"))

    def update():
        with Session(engine) as s:
            a = s.scalars(sa.select(Account).where(Account.name == "a3")).one()
            a.balance += 1
            a.opened = datetime.date(2020, 1, 2)
            s.commit()
            s.expire_all()
            equal((a.balance, a.opened, a.notes[0].text), (decimal.Decimal("11.50"), datetime.date(2020, 1, 2), "ééé"))

    def duplicate():
        with Session(engine) as s:
            s.add(Account(name="a1"))
            try:
                s.commit()
            except sa.exc.IntegrityError as e:
                equal(e.orig.args[0], 1062)
            else:
                raise AssertionError("a duplicate key was taken")

    def rollback():
        with Session(engine) as s:
            s.execute(sa.delete(Note))
            s.rollback()
            equal(s.scalar(sa.select(sa.func.count()).select_from(Note)), 20)

    def join():
        with Session(engine) as s:
            q = sa.select(Account.name).join(Note).where(Note.text == "é").order_by(Account.id).limit(2)
            equal(s.scalars(q).all(), ["a1"])

    def drop():
        Base.metadata.drop_all(engine)
        assert not sa.inspect(engine).get_table_names()

    for what, body in [("create_all", make), ("inspect", inspect), ("reflect", reflect), ("ORM insert", insert), ("ORM update", update),
                       ("duplicate key", duplicate), ("rollback", rollback), ("join", join), ("drop_all", drop)]:
        c.run(what, body)
    engine.dispose()
    return c.end()


sys.exit(1 if driver() + orm() else 0)
