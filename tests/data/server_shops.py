"""The small shop on database servers, beside a table and a file that no query may reach."""

from __future__ import annotations

from tests.data.conftest import SECRET
from tests.servers.mariadb import MariaDB
from tests.servers.postgres import Postgres

ORDERS = """
    (1, 'Ann', 'North', '2024-01-05', 10.50, true), (2, 'Bob', 'South', '2024-01-19', 20.25, false),
    (3, 'Ann', 'North', '2024-02-11', 30.00, true), (4, 'Cid', 'West', '2024-03-02', NULL, true),
    (5, 'Dee', 'South', '2024-03-30', 5.75, false)
"""
REGIONS = "('North', 'Ida'), ('South', 'Jon'), ('West', 'Kim')"

POSTGRES = (
    "CREATE TABLE regions (region text PRIMARY KEY, manager text)",
    "CREATE TABLE orders (order_id int PRIMARY KEY, customer text NOT NULL, "
    "region text REFERENCES regions, placed date, amount numeric(10, 2), paid boolean)",
    f"INSERT INTO regions VALUES {REGIONS}",
    f"INSERT INTO orders VALUES {ORDERS}",
    "COMMENT ON TABLE orders IS 'what was sold'",
    "COMMENT ON COLUMN orders.amount IS 'in euros'",
    "CREATE VIEW paid_orders AS SELECT * FROM orders WHERE paid",
    "CREATE SCHEMA sales",
    'CREATE TABLE sales."Big Deals" ("Deal" int PRIMARY KEY, "Order" int REFERENCES orders)',
    'INSERT INTO sales."Big Deals" VALUES (7, 3)',
    "CREATE SCHEMA secrets",
    "CREATE TABLE secrets.vault (word text)",
    f"INSERT INTO secrets.vault VALUES ('{SECRET}')",
    "CREATE SEQUENCE ticket",
    "CREATE FUNCTION evil_write() RETURNS int LANGUAGE plpgsql SECURITY DEFINER AS "
    "'BEGIN DELETE FROM public.orders WHERE order_id <> 3; RETURN 1; END'",
    "GRANT USAGE ON SCHEMA sales TO reader",
    "GRANT SELECT ON ALL TABLES IN SCHEMA public, sales TO reader",
)
MARIADB = (
    "CREATE DATABASE shop CHARACTER SET utf8mb4",
    "CREATE TABLE shop.regions (region VARCHAR(20) PRIMARY KEY, manager VARCHAR(20))",
    "CREATE TABLE shop.orders (order_id INT PRIMARY KEY, customer VARCHAR(20) NOT NULL, "
    "region VARCHAR(20) REFERENCES shop.regions (region), placed DATE, "
    "amount DECIMAL(10, 2) COMMENT 'in euros', paid BOOLEAN) COMMENT 'what was sold'",
    f"INSERT INTO shop.regions VALUES {REGIONS}",
    f"INSERT INTO shop.orders VALUES {ORDERS}",
    "CREATE VIEW shop.paid_orders AS SELECT * FROM shop.orders WHERE paid",
    "CREATE DATABASE sales",
    "CREATE TABLE sales.`Big Deals` (`Deal` INT PRIMARY KEY, `Order` INT, "
    "FOREIGN KEY (`Order`) REFERENCES shop.orders (order_id))",
    "INSERT INTO sales.`Big Deals` VALUES (7, 3)",
    "CREATE DATABASE secrets",
    "CREATE TABLE secrets.vault (word VARCHAR(60))",
    f"INSERT INTO secrets.vault VALUES ('{SECRET}')",
    "CREATE SEQUENCE shop.ticket",
    "CREATE FUNCTION shop.evil_write() RETURNS INT MODIFIES SQL DATA "
    "BEGIN DELETE FROM shop.orders; RETURN 1; END",
    *(
        f"GRANT SELECT ON {each} TO reader@'127.0.0.1'"
        for each in ("shop.orders", "shop.regions", "shop.paid_orders", "sales.*")
    ),
    "GRANT EXECUTE ON FUNCTION shop.evil_write TO reader@'127.0.0.1'",
)


def fill_postgres(server: Postgres) -> None:
    server.execute(*POSTGRES)
    _plant(server)


def fill_mariadb(server: MariaDB) -> None:
    server.execute(*MARIADB)
    _plant(server)


def _plant(server: Postgres | MariaDB) -> None:
    canary = server.folder / "canary.txt"
    canary.write_text(SECRET)
    canary.chmod(0o644)


def postgres_state(server: Postgres) -> dict[str, object]:
    """All that a hostile statement could have changed on the server."""
    asked = {
        "orders": "SELECT * FROM orders ORDER BY 1",
        "regions": "SELECT * FROM regions ORDER BY 1",
        "deals": 'SELECT * FROM sales."Big Deals"',
        "vault": "SELECT * FROM secrets.vault",
        "relations": "SELECT relname, relacl::text FROM pg_class WHERE oid >= 16384 ORDER BY 1",
        "functions": "SELECT proname FROM pg_proc WHERE oid >= 16384 ORDER BY 1",
        "extensions": "SELECT extname FROM pg_extension ORDER BY 1",
        "roles": "SELECT rolname, rolsuper, rolconfig FROM pg_roles ORDER BY 1",
        "settings": "SELECT setconfig FROM pg_db_role_setting",
        "ticket": "SELECT last_value, is_called FROM ticket",
        "objects": "SELECT count(*) FROM pg_largeobject_metadata",
        "locks": "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'",
        "slots": "SELECT count(*) FROM pg_replication_slots",
    }
    found: dict[str, object] = {name: server.rows(sql) for name, sql in asked.items()}
    return found | {"files": _files(server)}


def mariadb_state(server: MariaDB) -> dict[str, object]:
    """All that a hostile statement could have changed on the server."""
    asked = {
        "orders": "SELECT * FROM shop.orders ORDER BY 1",
        "regions": "SELECT * FROM shop.regions ORDER BY 1",
        "deals": "SELECT * FROM sales.`Big Deals`",
        "vault": "SELECT * FROM secrets.vault",
        "tables": "SELECT table_schema, table_name FROM information_schema.tables ORDER BY 1, 2",
        "users": "SELECT user, host, authentication_string FROM mysql.user ORDER BY 1, 2",
        "grants": "SELECT grantee, privilege_type FROM information_schema.user_privileges "
        "ORDER BY 1, 2",
        "settings": "SELECT @@global.max_connections, @@global.sql_mode, @@global.read_only",
        "ticket": "SELECT next_not_cached_value FROM shop.ticket",
        "locks": "SELECT is_used_lock('x')",
        "plugins": "SELECT count(*) FROM information_schema.plugins",
    }
    found: dict[str, object] = {name: server.rows(sql) for name, sql in asked.items()}
    return found | {"files": _files(server)}


def _files(server: Postgres | MariaDB) -> list[str]:
    """What lies in the server's folder, beside its own data and log."""
    return sorted(each.name for each in server.folder.iterdir())
