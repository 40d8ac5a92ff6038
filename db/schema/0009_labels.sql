-- Labels of billed usage. A resource with other labels is another row of billed_resource, so that
-- sums by owner and by label are exact and those without them read nothing more. Usage that is
-- stored already has no labels until its unit is read again (BILLING_RECIPE).
CREATE TABLE billed_resource_2 AS SELECT resource_ref, resource, global_name FROM billed_resource;
DROP TABLE billed_resource;
CREATE TABLE billed_resource (
	resource_ref INTEGER PRIMARY KEY,
	resource TEXT NOT NULL,
	global_name TEXT NOT NULL,
	labels TEXT NOT NULL DEFAULT '', -- JSON object with sorted keys; '': none
	owner TEXT,                    -- value of the label owner, creator or user
	UNIQUE (resource, global_name, labels)
) STRICT;
INSERT INTO billed_resource (resource_ref, resource, global_name)
SELECT resource_ref, resource, global_name FROM billed_resource_2;
DROP TABLE billed_resource_2;
