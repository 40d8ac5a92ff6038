-- results of the rules in the last evaluation
SELECT
	s.rule AS name, -- text: name of the rule
	s.judged, -- time: last evaluation
	s.hits, -- int: rows that matched
	s.error, -- text: error of the evaluation
	s.text, -- text: the settings that decide when it fires
	(SELECT COUNT(*) FROM alert l WHERE l.rule = s.rule AND l.state = 'firing') AS firing -- int:
		-- firing alerts of the rule
FROM rule_state s
