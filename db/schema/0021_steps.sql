-- A rule can have a second step, which deletes what the first one stopped.
ALTER TABLE action ADD COLUMN follows INTEGER; -- action that stopped it; NULL: it is of a first step
ALTER TABLE action ADD COLUMN owner TEXT;      -- of the resource when it began
ALTER TABLE action ADD COLUMN frees TEXT;      -- chips of quota that a deletion frees, as words
-- 1: it does not run, so that enforcement.max_share does not count its deletion
ALTER TABLE action ADD COLUMN dead INTEGER NOT NULL DEFAULT 0;
UPDATE action SET owner = (SELECT r.owner FROM resource r WHERE r.id = action.resource)
WHERE ended IS NULL;
