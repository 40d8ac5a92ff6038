-- actions on machines and decisions of users about them; never deleted
SELECT
	u.seq, -- int: sequence number, without gaps
	u.at, -- time: time of the entry
	u.actor, -- text: tpucost, or user and name
	u.event, -- text: name of the event
	u.action, -- int: id in actions
	u.resource, -- text: id of the machine, as in resources
	u.detail, -- json: details, such as the text of --comment
	u.hash -- text: SHA-256 of the entry and of the hash before it; for: tpucost audit verify
FROM audit_entry u
