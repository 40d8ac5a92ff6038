-- Messages, one for each recipient: where they went, or why they did not.
SELECT n.id AS id, n.channel AS channel, n.kind AS kind, n.subject AS subject, n.state AS state,
	n.attempts AS attempts, @RFC3339(n.next_at)@ AS next_at, n.error AS error,
	NULLIF(n.recipient, '') AS recipient, @RFC3339(n.created)@ AS created,
	@RFC3339(n.finished)@ AS finished, n.reply AS reply, n.message AS message
FROM notification n
