-- Entries whole, as JSON, under kind and id; what is searched by stands beside it.
CREATE TABLE entry (
  kind TEXT NOT NULL,
  id TEXT NOT NULL,
  state TEXT NOT NULL,
  live INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,      -- milliseconds since 1970
  body_schema INTEGER NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (kind, id)
) WITHOUT ROWID;
CREATE INDEX entry_live ON entry (kind, live, updated_at);

-- One line for each change of state; never changed afterwards.
CREATE TABLE transition (
  sequence INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,              -- milliseconds since 1970
  kind TEXT NOT NULL,
  id TEXT NOT NULL,
  from_state TEXT NOT NULL,
  to_state TEXT NOT NULL,
  reason TEXT NOT NULL
);
CREATE INDEX transition_of ON transition (kind, id, sequence);

-- The same key by the same user is the same job.
CREATE TABLE submission (
  uid INTEGER NOT NULL,
  idempotency_key TEXT NOT NULL,
  job TEXT NOT NULL,
  PRIMARY KEY (uid, idempotency_key)
) WITHOUT ROWID;

CREATE TABLE counter (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
INSERT INTO counter (name, value) VALUES ('sequence', 0);
