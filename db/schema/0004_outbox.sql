-- Messages: their content, their channels, and the state of their delivery.

-- An event of an alert that a channel must report: written in the transaction that changed the
-- alert, so that every event is reported.
CREATE TABLE outbox (
	item INTEGER PRIMARY KEY,
	channel TEXT NOT NULL,
	rule TEXT NOT NULL,
	subject TEXT NOT NULL,
	kind TEXT NOT NULL CHECK (kind IN ('firing', 'worse', 'repeat', 'resolved')),
	severity TEXT NOT NULL,
	summary TEXT NOT NULL,
	at INTEGER NOT NULL,
	since INTEGER NOT NULL,        -- the condition is true since then
	-- dropped: it ended before it was sent, or its channel was removed
	state TEXT NOT NULL CHECK (state IN ('waiting', 'told', 'dropped')),
	message TEXT                   -- the notification that reported it
) STRICT;
CREATE INDEX outbox_by_subject ON outbox (channel, rule, subject, item);
CREATE INDEX outbox_by_state ON outbox (state, channel, item);

-- One message to one recipient of one channel.
CREATE TABLE notification (
	id INTEGER PRIMARY KEY,
	message TEXT NOT NULL,         -- the same for all recipients and every attempt
	channel TEXT NOT NULL,
	recipient TEXT NOT NULL,       -- of mail; '' elsewhere
	kind TEXT NOT NULL,            -- alerts digest daily weekly month grant lost test
	-- Identifies the content, which is sent only once: a report of a date, a message of items.
	dedup TEXT NOT NULL UNIQUE,
	critical INTEGER NOT NULL,
	subject TEXT NOT NULL,
	body TEXT NOT NULL,            -- '' long after it was sent
	html TEXT,
	refs TEXT NOT NULL,            -- messages of the thread, separated by blanks
	state TEXT NOT NULL CHECK (state IN ('pending', 'sending', 'sent', 'unclear', 'dead',
		'dropped')),
	attempts INTEGER NOT NULL,
	next_at INTEGER,               -- next attempt not before; NULL: none
	-- Sender that has claimed it, and until when: the outcome of an older fence is ignored.
	fence INTEGER NOT NULL,
	lease INTEGER,
	created INTEGER NOT NULL,
	finished INTEGER,
	reply TEXT,
	error TEXT,
	lost_told INTEGER NOT NULL,    -- 1: reported on another channel as undeliverable
	format TEXT NOT NULL,          -- format of the body: text json slack
	perhaps_sent INTEGER NOT NULL  -- 1: an earlier attempt may have been delivered
) STRICT;
CREATE INDEX notification_by_state ON notification (state, channel, id);
CREATE INDEX notification_by_channel ON notification (channel, created);
CREATE INDEX notification_by_message ON notification (message);

CREATE TABLE channel_state (
	channel TEXT PRIMARY KEY NOT NULL,
	kind TEXT NOT NULL,            -- email slack ...
	version TEXT NOT NULL,         -- configuration at that time; '': not read yet
	off_since INTEGER,             -- NULL: it works
	error TEXT,
	next_at INTEGER                -- no message is sent before
) STRICT;
