-- Fresh data shows since then that the condition of the alert does not hold. NULL: it holds, or no fresh data shows otherwise.
ALTER TABLE alert ADD COLUMN ceased INTEGER;
-- Severity of the newest message about it; the present severity may have fallen since. NULL: it is the present one.
ALTER TABLE alert ADD COLUMN said_as TEXT;
