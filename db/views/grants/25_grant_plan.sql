-- costs that begin when a grant ends, and the commands to avoid them
SELECT
	p.grant_name, -- text: the grant that covers it until its end
	p.until, -- time: first instant that is charged
	r.id, -- text: the TPU or queued resource
	r.kind, -- text: tpu queued
	r.project, -- text: project id
	r.location AS zone, -- text: zone of the TPU
	r.name, -- text: short name
	p.type, -- text: v3-8, ...
	p.waits, -- flag: 1: a queued resource without TPU: charged when it is created
	p.gross AS gross_per_hour, -- money: list price of it; NULL when unknown
	p.currency, -- text: currency of gross_per_hour
	p.again, -- time: when another grant begins to cover it
	p.again_grant, -- text: that grant
	p.why_text, -- text: why it is not covered after the end
	p.disks, -- text: attached disks, which remain and are still charged
	p.copy_command, -- text: command that copies its files to this machine
	p.storage_command, -- text: command that copies its files to a bucket of its region
	p.delete_command -- text: command that deletes it
FROM grant_end_part p JOIN resource r ON r.id = p.id
