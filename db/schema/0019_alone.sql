-- A machine of a managed instance group of TPUs that is not one slice.
ALTER TABLE resource ADD COLUMN alone TEXT; -- why it is a TPU of its own; NULL: no reason is needed
-- Managed instance groups without machines: what they are to create.
CREATE TABLE group_template (
	project TEXT NOT NULL,
	group_path TEXT NOT NULL,   -- "zones/Z/instanceGroupManagers/NAME", or of a region
	template TEXT NOT NULL,     -- "global/instanceTemplates/NAME", or of a region
	place TEXT NOT NULL,        -- zone of its machines, or the region
	type TEXT NOT NULL,         -- machine type; "" if unknown, or not of a TPU
	provisioning TEXT NOT NULL,
	labels TEXT NOT NULL,       -- JSON object, keys sorted
	read INTEGER NOT NULL,
	PRIMARY KEY (project, group_path)
) STRICT, WITHOUT ROWID;
