-- Rules that are judged, and how they fared when they were judged last.
SELECT s.rule AS name, @RFC3339(s.judged)@ AS judged, s.hits AS hits, s.error AS error,
	s.text AS text,
	(SELECT COUNT(*) FROM alert l WHERE l.rule = s.rule AND l.state = 'firing') AS firing
FROM rule_state s
