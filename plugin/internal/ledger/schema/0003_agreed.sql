-- How a person spoke who agreed to a write or declined it: client, terminal,
-- console, permission; '' where nobody was asked. A row's hash covers it only
-- where it is not empty, as the rows before this column have none.
ALTER TABLE audit ADD COLUMN agreed TEXT NOT NULL DEFAULT '';

-- The process that the session of a question ends with; '' where the session may
-- go on in another one.
ALTER TABLE approval ADD COLUMN owner TEXT NOT NULL DEFAULT '';
