-- 1: idle in the whole time that was read, perhaps longer.
ALTER TABLE metric ADD COLUMN at_least INTEGER NOT NULL DEFAULT 1;
