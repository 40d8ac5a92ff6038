-- Another kind of note: several attempts failed, and others follow.
CREATE TABLE action_notice_new (
	action INTEGER NOT NULL,
	-- unclear: sent long ago, outcome unknown
	kind TEXT NOT NULL CHECK (kind IN
		('warning', 'held', 'failing', 'unclear', 'outcome', 'cancelled')),
	channel TEXT NOT NULL,
	message TEXT NOT NULL,
	PRIMARY KEY (action, kind, channel)
) STRICT;
INSERT INTO action_notice_new SELECT action, kind, channel, message FROM action_notice;
DROP TABLE action_notice;
ALTER TABLE action_notice_new RENAME TO action_notice;
