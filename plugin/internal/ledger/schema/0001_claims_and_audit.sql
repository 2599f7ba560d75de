-- One row for each write that was ever claimed.
CREATE TABLE claim (
  row     INTEGER PRIMARY KEY, -- the order in which they were made
  id      BLOB    NOT NULL UNIQUE, -- hash of the Key
  twin    BLOB    NOT NULL,    -- hash of what makes two writes without a key equal
  body    TEXT    NOT NULL,    -- hash of document and arguments
  key     TEXT    NOT NULL,    -- the idempotency key itself, for the retry
  state   INTEGER NOT NULL,    -- 1 taken, 2 in doubt, 3 finished
  open    INTEGER NOT NULL,    -- 1 until a finished write's answer was delivered
  owner   TEXT    NOT NULL,
  signed  INTEGER NOT NULL,    -- 1 when the owner can be seen to live
  attempt INTEGER NOT NULL,
  lease   INTEGER NOT NULL,    -- microseconds since 1970, as every time here
  reason  TEXT    NOT NULL,    -- the code of a call that ended in doubt
  answer  BLOB,                -- the envelope; dropped after its time
  at      INTEGER NOT NULL
) STRICT;
CREATE INDEX claim_twin ON claim (twin) WHERE open = 1;

-- One row for each call.
CREATE TABLE audit (
  seq       INTEGER PRIMARY KEY,
  at        INTEGER NOT NULL,
  session   TEXT    NOT NULL,
  run       TEXT    NOT NULL,
  tool_call TEXT    NOT NULL,
  trace     TEXT    NOT NULL,
  actor     TEXT    NOT NULL,
  profile   TEXT    NOT NULL,
  agent     TEXT    NOT NULL,
  kernel    TEXT    NOT NULL,
  workspace TEXT    NOT NULL,
  document  TEXT    NOT NULL,
  tool      TEXT    NOT NULL,
  kind      TEXT    NOT NULL,
  scopes    TEXT    NOT NULL, -- JSON
  dry_run   INTEGER NOT NULL,
  effect    TEXT    NOT NULL,
  code      TEXT    NOT NULL,
  command   TEXT    NOT NULL,
  changed   TEXT    NOT NULL, -- JSON
  args_hash TEXT    NOT NULL,
  key_hash  TEXT    NOT NULL,
  duration  INTEGER NOT NULL, -- nanoseconds
  replayed  INTEGER NOT NULL,
  prev      BLOB    NOT NULL, -- the hash of the row before
  hash      BLOB    NOT NULL  -- covers prev and every column but seq
) STRICT;
CREATE INDEX audit_at ON audit (at);
CREATE INDEX audit_session ON audit (session);
CREATE INDEX audit_command ON audit (command) WHERE command <> '';

-- Where the chain of audit rows begins, which is the row before the first one
-- kept, and how far pruning came.
CREATE TABLE chain (
  one          INTEGER PRIMARY KEY CHECK (one = 1),
  seq          INTEGER NOT NULL,
  hash         BLOB    NOT NULL,
  why          TEXT    NOT NULL,
  synced_at    INTEGER NOT NULL,
  pruned_at    INTEGER NOT NULL,
  answers_upto INTEGER NOT NULL -- the last claim, by row, whose answer was dropped
) STRICT;
