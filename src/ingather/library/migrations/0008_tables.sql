-- Tables are part of what was read in a file. Null: read before tables were kept; such a file is read anew when its
-- tables are asked for. Packed already, so PostgreSQL need not try; see table_json.py.
alter table ingather.reading add column tables bytea;
alter table ingather.reading alter column tables set storage external;
