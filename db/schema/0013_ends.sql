-- End of a limited run time: of a flex-start TPU, or of a machine with a longest run or an end.
ALTER TABLE resource ADD COLUMN ends INTEGER;
ALTER TABLE resource ADD COLUMN end_action TEXT;     -- stop, delete
ALTER TABLE resource ADD COLUMN end_disks TEXT;      -- names of the disks that are deleted with it
ALTER TABLE resource ADD COLUMN run_limit INTEGER;   -- of a queued resource: longest run of its nodes, seconds
