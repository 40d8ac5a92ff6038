-- Messages: what is to be told where, and how far each of them came.

-- What happened to an alert and is to be told on a channel: written in the transaction that
-- changed the alert, so that nothing is ever known and not told.
CREATE TABLE outbox (
	item INTEGER PRIMARY KEY,
	channel TEXT NOT NULL,
	rule TEXT NOT NULL,
	subject TEXT NOT NULL,
	kind TEXT NOT NULL CHECK (kind IN ('firing', 'worse', 'repeat', 'resolved')),
	severity TEXT NOT NULL,
	summary TEXT NOT NULL,
	at INTEGER NOT NULL,
	since INTEGER NOT NULL,        -- the condition held since then
	-- dropped: it was over before it was told, or its channel is gone
	state TEXT NOT NULL CHECK (state IN ('waiting', 'told', 'dropped')),
	message TEXT                   -- the notification that told it
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
	-- What must not be said twice: a report of a date, a message of items.
	dedup TEXT NOT NULL UNIQUE,
	critical INTEGER NOT NULL,
	subject TEXT NOT NULL,
	body TEXT NOT NULL,            -- '' once it is long over
	html TEXT,
	refs TEXT NOT NULL,            -- messages of the thread, with a blank between
	state TEXT NOT NULL CHECK (state IN ('pending', 'sending', 'sent', 'unclear', 'dead',
		'dropped')),
	attempts INTEGER NOT NULL,
	next_at INTEGER,               -- not before then; NULL: never again
	-- Who has it in hand, and until when: an older fence's outcome is not believed.
	fence INTEGER NOT NULL,
	lease INTEGER,
	created INTEGER NOT NULL,
	finished INTEGER,
	reply TEXT,
	error TEXT,
	lost_told INTEGER NOT NULL,    -- 1: that it is dead was said on another channel
	format TEXT NOT NULL,          -- what the body is written in: text json slack
	perhaps_sent INTEGER NOT NULL  -- 1: an attempt before the newest may have arrived
) STRICT;
CREATE INDEX notification_by_state ON notification (state, channel, id);
CREATE INDEX notification_by_channel ON notification (channel, created);
CREATE INDEX notification_by_message ON notification (message);

CREATE TABLE channel_state (
	channel TEXT PRIMARY KEY NOT NULL,
	kind TEXT NOT NULL,            -- email slack ...
	version TEXT NOT NULL,         -- what it was configured as then; '': not looked at yet
	off_since INTEGER,             -- NULL: it works
	error TEXT,
	next_at INTEGER                -- nothing goes out before
) STRICT;
