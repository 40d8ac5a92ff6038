-- Last poll that asked Google about the project itself. Earlier than last_attempt: since then Cloud Asset Inventory
-- showed nothing there, and last_attempt is the time of that search. NULL: not known.
ALTER TABLE source_status ADD COLUMN asked INTEGER;
