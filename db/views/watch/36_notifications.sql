-- messages, one for each recipient, and their delivery
SELECT
	n.id, -- int: sequence number
	n.channel, -- text: name of the channel
	n.kind, -- text: alerts; digest: many of them; daily weekly month grant: a report; lost:
		-- undeliverable messages of another channel; test
	n.subject, -- text: subject line
	n.state, -- text: pending sending sent; unclear: may have been delivered; dead:
		-- undeliverable; dropped: its channel was removed
	n.attempts, -- int: number of attempts
	n.next_at, -- time: next attempt
	n.error, -- text: last error, and its fix
	NULLIF(n.recipient, '') AS recipient, -- text: recipient of mail
	n.created, -- time: time of creation
	n.finished, -- time: when it was sent or became undeliverable
	n.reply, -- text: last reply of the server
	n.message -- text: the same for all recipients: part of the Message-ID of mail
FROM notification n
