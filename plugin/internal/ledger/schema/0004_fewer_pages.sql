-- What a write call touches costs it two writes to the log a page. So an answer is
-- not put into the claim's own row, which would have to move to a page of its own
-- for it, but at the end of a table of answers; claim.answer holds those from
-- before this.
CREATE TABLE answer (
  claim    INTEGER PRIMARY KEY, -- the claim's row
  envelope BLOB    NOT NULL
) STRICT;

-- The index by time served no query: rows come in the order of their numbers.
DROP INDEX audit_at;

-- And a row of the audit comes into the others behind the call, with others: until
-- then it is fresh. Fresh rows lie behind chain.found.
ALTER TABLE audit ADD COLUMN fresh INTEGER NOT NULL DEFAULT 0;
ALTER TABLE chain ADD COLUMN found INTEGER NOT NULL DEFAULT 0;
UPDATE chain SET found = (SELECT coalesce(max(seq), 0) FROM audit);
DROP INDEX audit_session;
DROP INDEX audit_command;
CREATE INDEX audit_session ON audit (session) WHERE fresh = 0;
CREATE INDEX audit_command ON audit (command) WHERE fresh = 0 AND command <> '';
