-- Spot TPUs that are machines and that Google ended: number and time.
CREATE TABLE preemption (
	project TEXT NOT NULL,
	uid TEXT NOT NULL,
	at INTEGER NOT NULL,
	PRIMARY KEY (project, uid, at)
) STRICT, WITHOUT ROWID;
