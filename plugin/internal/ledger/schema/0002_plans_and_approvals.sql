-- Plans that the host keeps for kernels that keep none: one dry run each.
CREATE TABLE plan (
  id       TEXT    PRIMARY KEY,
  twin     BLOB    NOT NULL, -- the write that the plan is for
  tool     TEXT    NOT NULL,
  session  TEXT    NOT NULL,
  document TEXT    NOT NULL,
  revision INTEGER NOT NULL,
  promise  BLOB    NOT NULL, -- hash of what the dry run said the write would do
  made     INTEGER NOT NULL,
  expires  INTEGER NOT NULL,
  spent_by BLOB              -- the id of the claim that used it
) STRICT, WITHOUT ROWID;

-- Writes that wait for a person's yes outside the call, or had an answer.
CREATE TABLE approval (
  id         TEXT    PRIMARY KEY, -- the plan's, whoever keeps that
  at_kernel  INTEGER NOT NULL,    -- 1 when the kernel keeps the plan
  twin       BLOB    NOT NULL,
  tool       TEXT    NOT NULL,
  session    TEXT    NOT NULL,
  workspace  TEXT    NOT NULL,
  document   TEXT    NOT NULL,
  actor      TEXT    NOT NULL,
  agent      TEXT    NOT NULL,
  revision   INTEGER NOT NULL,
  question   TEXT    NOT NULL,
  preview    BLOB,                -- the dry run's result; dropped when it is over
  decision   INTEGER NOT NULL,    -- 0 none yet, 1 yes, 2 no
  decided_by TEXT    NOT NULL,
  decided_at INTEGER NOT NULL,
  asked      INTEGER NOT NULL,
  expires    INTEGER NOT NULL,
  spent_by   BLOB                 -- the id of the claim that used it; x'00' when it came to nothing
) STRICT;
CREATE INDEX approval_twin ON approval (twin, asked);
CREATE INDEX approval_spent ON approval (spent_by) WHERE spent_by IS NOT NULL;
CREATE INDEX plan_spent ON plan (spent_by) WHERE spent_by IS NOT NULL;
