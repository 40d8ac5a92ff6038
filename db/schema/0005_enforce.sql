-- Actions on machines, and their audit log.

-- One row per rule, machine and episode: the time that a machine runs from one start. An ended
-- action has `ended`; a restarted machine has a new episode.
CREATE TABLE action (
	action INTEGER PRIMARY KEY,
	rule TEXT NOT NULL,
	resource TEXT NOT NULL,        -- as id of the view resources
	uid TEXT NOT NULL,             -- Google's numeric id
	source TEXT NOT NULL,          -- vm tpu queued: its API
	kind TEXT NOT NULL,
	project TEXT NOT NULL,
	location TEXT NOT NULL,
	name TEXT NOT NULL,
	started INTEGER,               -- its last start, when the episode began
	verb TEXT NOT NULL CHECK (verb IN ('stop', 'delete')),
	mode TEXT NOT NULL CHECK (mode IN ('dry-run', 'armed')),
	severity TEXT NOT NULL,
	-- Settings of the decision: condition, time, action and grace of the rule. Another text is
	-- another episode.
	policy TEXT NOT NULL,
	state TEXT NOT NULL CHECK (state IN ('pending', 'warning', 'grace', 'recheck', 'intent',
		'sent', 'verify', 'unknown', 'done', 'failed', 'superseded', 'cleared')),
	held TEXT NOT NULL,            -- name of the guard that blocks it; ''
	reason TEXT NOT NULL,          -- as a sentence
	since INTEGER NOT NULL,        -- in this state
	began INTEGER NOT NULL,
	warned INTEGER,                -- a channel accepted the warning then
	due INTEGER,                   -- end of the grace
	approved INTEGER,              -- a user approved it regardless of caps, back-off and
		-- anomalies
	attempts INTEGER NOT NULL,
	next_at INTEGER,               -- next attempt not before
	request_id TEXT,               -- of the attempt, unchanged in retries
	operation TEXT,                -- Google's name of the operation
	intent INTEGER,                -- the attempt was recorded then
	sent INTEGER,
	record TEXT,                   -- JSON: its state before
	restart TEXT,                  -- command that restores it
	saves INTEGER,                 -- net, nano-units per hour
	residual INTEGER,              -- remaining cost; NULL: unknown
	currency TEXT,
	ended INTEGER
) STRICT;
CREATE UNIQUE INDEX action_open ON action (rule, resource) WHERE ended IS NULL;
CREATE INDEX action_by_uid ON action (uid, state);
CREATE INDEX action_by_end ON action (ended);
CREATE INDEX action_by_since ON action (since);

-- Notes about an action that a channel has sent, and their messages.
CREATE TABLE action_notice (
	action INTEGER NOT NULL,
	-- unclear: sent long ago, outcome unknown
	kind TEXT NOT NULL CHECK (kind IN ('warning', 'held', 'unclear', 'outcome', 'cancelled')),
	channel TEXT NOT NULL,
	message TEXT NOT NULL,
	PRIMARY KEY (action, kind, channel)
) STRICT;

-- The process that may act now. Every change of an action is made under the newest fence: a process
-- that lost the lease while it was suspended finds another number here, and stops.
CREATE TABLE lease (
	name TEXT PRIMARY KEY NOT NULL,
	owner TEXT NOT NULL,           -- boot id and process
	fence INTEGER NOT NULL,
	until INTEGER NOT NULL
) STRICT;

-- Permanent record of actions and decisions: the view audit. Each entry holds the hash of the
-- previous one, so that changes and deletions are detected.
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

-- Rules that no longer act in a project, because Google refused it permanently or the wrong machine
-- was affected. A changed rule is another one; `enforce resume` deletes all.
CREATE TABLE disarmed (
	rule TEXT NOT NULL,
	policy TEXT NOT NULL,
	project TEXT NOT NULL,
	at INTEGER NOT NULL,
	reason TEXT NOT NULL,
	PRIMARY KEY (rule, policy, project)
) STRICT;
