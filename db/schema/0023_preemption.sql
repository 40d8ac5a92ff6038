-- Spot TPUs that are machines and that Google ended: number and time.
CREATE TABLE preemption (
	project TEXT NOT NULL,
	uid TEXT NOT NULL,
	at INTEGER NOT NULL,
	PRIMARY KEY (project, uid, at)
) STRICT, WITHOUT ROWID;

-- Times whose preemptions were listed.
CREATE TABLE preemption_read (
	project TEXT NOT NULL,
	starts INTEGER NOT NULL,
	ends INTEGER NOT NULL,
	PRIMARY KEY (project, starts)
) STRICT, WITHOUT ROWID;
