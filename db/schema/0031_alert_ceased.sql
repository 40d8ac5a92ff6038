-- Fresh data shows since then that the condition of the alert does not hold. NULL: it holds, or no fresh data shows otherwise.
ALTER TABLE alert ADD COLUMN ceased INTEGER;
