-- cost anomalies that Google reports, with the alert of ours about the same days
--
-- Google states only the Pacific day on which it detected one. An alert is about the same days if the
-- subject is a day of the project, the day itself or one of the two before it. Google's time is within
-- a day of 25 hours at most, and before the poll that first listed it: anything between is same-day.
SELECT
	n.project || '/' || n.id AS id, -- text: project/ID of Google
	n.project, -- text: project id
	date(n.detected, 'unixepoch') AS day, -- text: Pacific day on which Google detected it
	NULLIF(n.severity, '') AS severity, -- text: the word of Google; NULL: not stated
	NULLIF(n.scope, '') AS scope, -- text: the word of Google; NULL: not stated
	n.actual, -- money: cost before credits
	n.expected, -- money: cost that Google expected
	n.deviation, -- money: difference of both
	n.currency, -- text: currency of the amounts
	CASE WHEN n.expected > 0 THEN ROUND(100.0 * n.deviation / n.expected, 2)
		END AS percent, -- decimal: difference, of the expected cost
	NULLIF(n.causes, '') AS causes, -- text: the largest root causes
	e.subject AS alert, -- text: subject of the first alert of ours about these days; NULL: none fired
	e.at AS alert_fired, -- time: when it fired
	CASE WHEN e.at IS NULL THEN NULL WHEN e.at < n.detected THEN 'tpucost'
		WHEN e.at > MIN(n.first_seen, n.detected + 90000) THEN 'google'
		ELSE 'same-day' END AS seen_first, -- text: tpucost google same-day; NULL: no alert
	n.first_seen, -- time: the first poll that listed it
	n.updated, -- time: last change by Google
	n.last_seen -- time: last poll that listed it; Google lists 30 days
FROM anomaly n LEFT JOIN alert_event e ON e.event = (SELECT v.event FROM alert_event v
	WHERE v.kind = 'firing' AND v.subject LIKE '____-__-__/' || n.project || '/___'
		AND substr(v.subject, 1, 10) BETWEEN date(n.detected, 'unixepoch', '-2 days')
			AND date(n.detected, 'unixepoch')
	ORDER BY v.at, v.event LIMIT 1)
