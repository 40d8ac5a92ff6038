-- how the rules fared when they were judged last
SELECT
	s.rule AS name, -- text: name of the rule
	s.judged, -- time: when it was judged last
	s.hits, -- int: rows for which it held then
	s.error, -- text: why it could not be judged
	s.text, -- text: what decides when it fires
	(SELECT COUNT(*) FROM alert l WHERE l.rule = s.rule AND l.state = 'firing') AS firing -- int:
		-- alerts of it that fire
FROM rule_state s
