-- messages, one for each recipient: where they went, or why they did not
SELECT
	n.id, -- int: number, in order
	n.channel, -- text: name of the channel
	n.kind, -- text: alerts; digest: many of them; daily weekly month grant: a report; lost: dead
		-- letters of another channel; test
	n.subject, -- text: what it says, in a line
	n.state, -- text: pending sending sent; unclear: it may have arrived; dead: given up; dropped:
		-- its channel is gone
	n.attempts, -- int: how often it was tried
	n.next_at, -- time: when it is tried next
	n.error, -- text: what stood in the way last, and what to do
	NULLIF(n.recipient, '') AS recipient, -- text: of mail
	n.created, -- time: when it was written
	n.finished, -- time: when it was sent or given up
	n.reply, -- text: what the other side answered last
	n.message -- text: the same for all recipients: part of the Message-ID of mail
FROM notification n
