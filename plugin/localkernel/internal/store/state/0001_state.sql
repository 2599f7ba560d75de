-- Facts about this file itself: first_revision.
CREATE TABLE meta (
  name  TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Bytes by their hash: every revision's, plan's and artifact's, once.
CREATE TABLE content (
  hash   TEXT PRIMARY KEY,
  size   INTEGER NOT NULL,
  packed INTEGER NOT NULL,            -- 1: deflated
  bytes  BLOB NOT NULL
) STRICT;

-- What was last seen at each path; hash '' when the file was gone.
CREATE TABLE document (
  path     TEXT PRIMARY KEY,
  revision INTEGER NOT NULL,
  hash     TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE revision (
  path       TEXT NOT NULL,
  revision   INTEGER NOT NULL,
  hash       TEXT NOT NULL,
  at         INTEGER NOT NULL,        -- unix microseconds, as all times here
  source     TEXT NOT NULL,           -- agent, external, undo
  actor      TEXT NOT NULL,
  session    TEXT NOT NULL,
  trace      TEXT NOT NULL,
  command_id TEXT NOT NULL,
  summary    TEXT NOT NULL,
  PRIMARY KEY (path, revision)
) STRICT, WITHOUT ROWID;
CREATE INDEX revision_hash ON revision (hash);

-- One row a write that happened; what undo needs to know of it.
CREATE TABLE command (
  id       TEXT PRIMARY KEY,
  name     TEXT NOT NULL,             -- page.body.save
  tool     TEXT NOT NULL,
  path     TEXT NOT NULL,
  before   TEXT NOT NULL,             -- content hashes; '' is no file
  after    TEXT NOT NULL,
  revision INTEGER NOT NULL,          -- of the path, or of the node
  node     TEXT NOT NULL,             -- of an artifact, else ''
  undoes   TEXT NOT NULL,             -- of an undo, else ''
  at       INTEGER NOT NULL,
  actor    TEXT NOT NULL,
  session  TEXT NOT NULL,
  trace    TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX command_session ON command (session, at);
CREATE INDEX command_before ON command (before);
CREATE INDEX command_after ON command (after);

-- Keys of writes. done: answer is what was answered. open: an intent says more.
-- doubt: the file was neither the old nor the new bytes after a crash.
CREATE TABLE dedupe (
  actor   TEXT NOT NULL,
  profile TEXT NOT NULL,
  tool    TEXT NOT NULL,
  key     TEXT NOT NULL,
  body    TEXT NOT NULL,              -- hash of document and arguments
  state   TEXT NOT NULL,
  answer  BLOB NOT NULL,
  at      INTEGER NOT NULL,
  PRIMARY KEY (actor, profile, tool, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX dedupe_at ON dedupe (at);

-- Writes under way, with all that finishing them takes.
CREATE TABLE intent (
  id     INTEGER PRIMARY KEY AUTOINCREMENT,
  path   TEXT NOT NULL,               -- the document's
  disk   TEXT NOT NULL,               -- the same as spelled on the disk
  temp   TEXT NOT NULL,
  before TEXT NOT NULL,
  after  TEXT NOT NULL,
  rest   BLOB NOT NULL                -- command, revision row, key and answer as JSON
) STRICT;
CREATE INDEX intent_path ON intent (path);

-- What a dry run promised.
CREATE TABLE plan (
  id            TEXT PRIMARY KEY,
  session       TEXT NOT NULL,
  actor         TEXT NOT NULL,
  tool          TEXT NOT NULL,
  path          TEXT NOT NULL,
  body          TEXT NOT NULL,
  base_revision INTEGER NOT NULL,
  base_hash     TEXT NOT NULL,
  result_hash   TEXT NOT NULL,
  rest          BLOB NOT NULL,
  expires       INTEGER NOT NULL,
  used          INTEGER NOT NULL      -- 0: not yet
) STRICT, WITHOUT ROWID;
CREATE INDEX plan_expires ON plan (expires);
CREATE INDEX plan_result ON plan (result_hash);

-- Artifacts: summary is one a page, ai_note a new one each time.
CREATE TABLE node (
  id       TEXT PRIMARY KEY,
  kind     TEXT NOT NULL,
  path     TEXT NOT NULL,
  hash     TEXT NOT NULL,             -- of its text; '' when it was taken back
  revision INTEGER NOT NULL,
  made     INTEGER NOT NULL,
  changed  INTEGER NOT NULL,
  actor    TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX node_path ON node (path, kind);
CREATE INDEX node_hash ON node (hash);
CREATE UNIQUE INDEX node_summary ON node (path) WHERE kind = 'summary';

CREATE TABLE edge (
  id   TEXT PRIMARY KEY,
  node TEXT NOT NULL UNIQUE REFERENCES node (id) ON DELETE CASCADE,
  path TEXT NOT NULL,
  kind TEXT NOT NULL                  -- reference
) STRICT, WITHOUT ROWID;
