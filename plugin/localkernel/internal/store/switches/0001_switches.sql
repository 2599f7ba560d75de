-- generation: grows with every change below.
CREATE TABLE meta (
  name  TEXT PRIMARY KEY,
  value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO meta VALUES ('generation', 0);

-- Of the user: ai.agent.mnote_builtin.skill.{id}.enabled.
CREATE TABLE preference (
  name  TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- mnote.tools.disabled of each profile: tools switched off by themselves. What
-- is off with its pack is not here, so that the pack gives back what was.
CREATE TABLE disabled_tool (
  profile TEXT NOT NULL,
  tool    TEXT NOT NULL,
  PRIMARY KEY (profile, tool)
) STRICT, WITHOUT ROWID;
