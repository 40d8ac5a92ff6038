-- Of a queued resource: nodes that it is to create; NULL: unknown, or of several types.
ALTER TABLE resource ADD COLUMN nodes INTEGER;
