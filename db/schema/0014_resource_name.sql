-- Resources of one name in several projects.
CREATE INDEX resource_by_name ON resource (name, project);
