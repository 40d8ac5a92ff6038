-- A channel "NAME/ADDRESS" mails one owner through channel NAME, its base; another is its own base.
ALTER TABLE notification ADD COLUMN base TEXT NOT NULL
	GENERATED ALWAYS AS (substr(channel, 1, instr(channel || '/', '/') - 1)) VIRTUAL;
