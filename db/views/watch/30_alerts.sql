-- conditions that are true now or were true in the last week
SELECT
	l.rule, -- text: name of the rule
	l.subject, -- text: id of the resource, or the key of the row that it is about
	l.state, -- text: pending firing resolved
	l.severity, -- text: info warning critical; the highest so far
	l.since, -- time: the condition is true since then
	l.last_true AS last_seen, -- time: newest evaluation that found it true
	l.ceased, -- time: fresh data shows since then that it is no longer true; it resolves after
		-- the rule's keep_for
	l.summary, -- text: the problem at last_seen, as a sentence
	CAST(l.value AS DOUBLE PRECISION) AS value, -- decimal: the figure that it is about
	l.data, -- text: fresh; stale or unknown: it cannot be evaluated now, and the state is that
		-- of the last evaluation
	l.fired, -- time: when it fired
	l.resolved, -- time: when fresh data showed that it is no longer true
	(SELECT MAX(s.until) FROM silence s
		WHERE s.rule = l.rule AND (s.subject = '' OR s.subject = l.subject)
			AND s.until > a.now) AS silenced_until, -- time: no messages until then
	NULLIF(l.labels, '{}') AS labels, -- json: labels of the rule
	@LATEST(owner, l.subject)@ AS owner -- text: of the resource
FROM alert l CROSS JOIN as_of a LEFT JOIN resource r ON r.id = l.subject
