-- what becomes paid when a grant ends, and the commands against it
SELECT
	p.grant_name, -- text: the grant that covers it until its end
	p.until, -- time: first instant that is paid
	r.id, -- text: the TPU or queued resource
	r.kind, -- text: tpu queued
	r.project, -- text: project id
	r.location AS zone, -- text: where it is
	r.name, -- text: short name
	p.type, -- text: v3-8, ...
	p.waits, -- flag: 1: a queued resource without TPU: paid once it comes up
	p.gross AS gross_per_hour, -- money: list price of it; NULL when not known
	p.currency, -- text: of gross_per_hour
	p.again, -- time: when another grant begins to cover it
	p.again_grant, -- text: that grant
	p.why_text, -- text: why nothing covers it from the end on
	p.disks, -- text: disks attached to it, which stay and stay paid
	p.copy_command, -- text: how to copy files of it to this machine
	p.storage_command, -- text: how to copy them to a bucket of its region
	p.delete_command -- text: how to delete it
FROM grant_end_part p JOIN resource r ON r.id = p.id
