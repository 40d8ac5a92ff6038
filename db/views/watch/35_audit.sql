-- what was done to machines, and what people said about that; never deleted
SELECT
	u.seq, -- int: number, in order, without gaps
	u.at, -- time: when it was written
	u.actor, -- text: who did it: tpucost, or user and name
	u.event, -- text: what was done
	u.action, -- int: id in actions
	u.resource, -- text: id of the machine, as in resources
	u.detail, -- json: what belongs to it, such as the words of --comment
	u.hash -- text: SHA-256 of the entry and of the hash before it; for: tpucost audit verify
FROM audit_entry u
