-- What is done to machines, and the record of it.

-- One row per rule, machine and episode: the time that a machine runs from one start. What is
-- over has `ended`; a machine that was started again is another episode.
CREATE TABLE action (
	action INTEGER PRIMARY KEY,
	rule TEXT NOT NULL,
	resource TEXT NOT NULL,        -- as id of the view resources
	uid TEXT NOT NULL,             -- Google's numeric id
	source TEXT NOT NULL,          -- vm tpu queued: the API that it belongs to
	kind TEXT NOT NULL,
	project TEXT NOT NULL,
	location TEXT NOT NULL,
	name TEXT NOT NULL,
	started INTEGER,               -- its last start, when the episode began
	verb TEXT NOT NULL CHECK (verb IN ('stop', 'delete')),
	mode TEXT NOT NULL CHECK (mode IN ('dry-run', 'armed')),
	severity TEXT NOT NULL,
	-- What was decided by: condition, time, action and grace of the rule. Another text is
	-- another episode.
	policy TEXT NOT NULL,
	state TEXT NOT NULL CHECK (state IN ('pending', 'warning', 'grace', 'recheck', 'intent',
		'sent', 'verify', 'unknown', 'done', 'failed', 'superseded', 'cleared')),
	held TEXT NOT NULL,            -- name of the guard that keeps it from going on; ''
	reason TEXT NOT NULL,          -- in a sentence
	since INTEGER NOT NULL,        -- in this state
	began INTEGER NOT NULL,
	warned INTEGER,                -- a channel took the warning then
	due INTEGER,                   -- end of the grace
	approved INTEGER,              -- a person let it pass caps, back-off and anomalies
	attempts INTEGER NOT NULL,
	next_at INTEGER,               -- not tried again before
	request_id TEXT,               -- of the attempt, the same however often it is sent
	operation TEXT,                -- what Google calls it
	intent INTEGER,                -- the attempt was written down then
	sent INTEGER,
	record TEXT,                   -- JSON: what it was before
	restart TEXT,                  -- command that brings it back
	saves INTEGER,                 -- net, nano-units an hour
	residual INTEGER,              -- what still costs afterwards; NULL: not known
	currency TEXT,
	ended INTEGER
) STRICT;
CREATE UNIQUE INDEX action_open ON action (rule, resource) WHERE ended IS NULL;
CREATE INDEX action_by_uid ON action (uid, state);
CREATE INDEX action_by_end ON action (ended);
CREATE INDEX action_by_since ON action (since);

-- What was said about an action on a channel, and in which message.
CREATE TABLE action_notice (
	action INTEGER NOT NULL,
	-- unclear: it was sent long ago, and nothing was heard
	kind TEXT NOT NULL CHECK (kind IN ('warning', 'held', 'unclear', 'outcome', 'cancelled')),
	channel TEXT NOT NULL,
	message TEXT NOT NULL,
	PRIMARY KEY (action, kind, channel)
) STRICT;

-- Who may act now. Every change of an action is made under the newest fence: whoever lost the
-- lease while it slept finds another number here, and stops.
CREATE TABLE lease (
	name TEXT PRIMARY KEY NOT NULL,
	owner TEXT NOT NULL,           -- boot id and process
	fence INTEGER NOT NULL,
	until INTEGER NOT NULL
) STRICT;

-- What was done and said, for ever: the view audit. Each entry holds the hash of the one before,
-- so that none can be changed or taken out unseen.
CREATE TABLE audit_entry (
	seq INTEGER PRIMARY KEY NOT NULL,
	at INTEGER NOT NULL,
	actor TEXT NOT NULL,
	event TEXT NOT NULL,
	action INTEGER,
	resource TEXT,
	detail TEXT NOT NULL,          -- JSON object, keys sorted
	prev TEXT NOT NULL,
	hash TEXT NOT NULL
) STRICT;
CREATE INDEX audit_entry_by_time ON audit_entry (at);
CREATE INDEX audit_entry_by_event ON audit_entry (event, at);
CREATE TRIGGER audit_entry_no_update BEFORE UPDATE ON audit_entry
BEGIN SELECT RAISE(ABORT, 'audit_entry is append-only'); END;
CREATE TRIGGER audit_entry_no_delete BEFORE DELETE ON audit_entry
BEGIN SELECT RAISE(ABORT, 'audit_entry is append-only'); END;
CREATE TRIGGER audit_entry_no_replace BEFORE INSERT ON audit_entry
WHEN NEW.seq <= (SELECT MAX(seq) FROM audit_entry)
BEGIN SELECT RAISE(ABORT, 'audit_entry is append-only'); END;

-- Rules that do not act in a project any more, because Google refused it for good or the wrong
-- thing was met. A rule that was changed is another one; `enforce resume` forgets all.
CREATE TABLE disarmed (
	rule TEXT NOT NULL,
	policy TEXT NOT NULL,
	project TEXT NOT NULL,
	at INTEGER NOT NULL,
	reason TEXT NOT NULL,
	PRIMARY KEY (rule, policy, project)
) STRICT;
