-- Whose journal it is, and how far it has come: secrets/state-id has the same marks. A copy lies behind them.
CREATE TABLE IF NOT EXISTS identity (id TEXT NOT NULL);
INSERT OR IGNORE INTO counter (name, value) VALUES ('epoch', 0), ('starts', 0), ('commits', 0);
-- Each start of a head, as what it buys bears it.
CREATE TABLE IF NOT EXISTS run (tag TEXT PRIMARY KEY) WITHOUT ROWID;
