-- What becomes paid when a grant ends, and what to do about it.
SELECT p.grant_name AS grant_name, @RFC3339(p.until)@ AS until, r.id AS id, r.kind AS kind,
	r.project AS project, r.location AS zone, r.name AS name, p.type AS type,
	p.waits AS waits, p.gross / 1e9 AS gross_per_hour, p.currency AS currency,
	@RFC3339(p.again)@ AS again, p.again_grant AS again_grant, p.why_text AS why_text,
	p.disks AS disks, p.copy_command AS copy_command,
	p.storage_command AS storage_command, p.delete_command AS delete_command
FROM grant_end_part p JOIN resource r ON r.id = p.id
