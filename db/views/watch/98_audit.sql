-- What was done to machines, and what people said about that, for ever.
SELECT u.seq AS seq, @RFC3339(u.at)@ AS at, u.actor AS actor, u.event AS event,
	u.action AS action, u.resource AS resource, u.detail AS detail, u.hash AS hash
FROM audit_entry u
