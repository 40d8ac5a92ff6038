-- Conditions that hold now or lately held, by rule and subject.
SELECT l.rule AS rule, l.subject AS subject, l.state AS state, l.severity AS severity,
	@RFC3339(l.since)@ AS since, @RFC3339(l.last_true)@ AS last_seen,
	l.summary AS summary, CAST(l.value AS DOUBLE PRECISION) AS value, l.data AS data,
	@RFC3339(l.fired)@ AS fired, @RFC3339(l.resolved)@ AS resolved,
	(SELECT @RFC3339(MAX(s.until))@ FROM silence s
		WHERE s.rule = l.rule AND (s.subject = '' OR s.subject = l.subject)
			AND s.until > a.now) AS silenced_until,
	NULLIF(l.labels, '{}') AS labels
FROM alert l CROSS JOIN as_of a
