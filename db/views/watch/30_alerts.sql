-- conditions that hold now or did in the last week
SELECT
	l.rule, -- text: name of the rule
	l.subject, -- text: id of the resource, or the key of the row it is about
	l.state, -- text: pending firing resolved
	l.severity, -- text: info warning critical; the worst it has been
	l.since, -- time: the condition holds since then
	l.last_true AS last_seen, -- time: newest judgement that found it to hold
	l.summary, -- text: what is wrong, in a sentence
	CAST(l.value AS DOUBLE PRECISION) AS value, -- decimal: the figure it is about
	l.data, -- text: fresh; stale or unknown: it cannot be judged now, the state is the last one
		-- that could
	l.fired, -- time: when it began to fire
	l.resolved, -- time: when fresh data said that it holds no more
	(SELECT MAX(s.until) FROM silence s
		WHERE s.rule = l.rule AND (s.subject = '' OR s.subject = l.subject)
			AND s.until > a.now) AS silenced_until, -- time: no messages until then
	NULLIF(l.labels, '{}') AS labels -- json: labels of the rule
FROM alert l CROSS JOIN as_of a
