-- How many folders above its path a write made; the undo of it takes them away
-- again where they are empty.
ALTER TABLE command ADD COLUMN folders INTEGER NOT NULL DEFAULT 0;
