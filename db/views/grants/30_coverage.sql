-- TPUs against grants over the asked period; one row per TPU and stretch of time.
SELECT c.id AS id, c.grant_name AS grant_name, @RFC3339(c.starts)@ AS starts,
	@RFC3339(c.ends)@ AS ends, ROUND(c.chip_seconds / 3600.0, 4) AS chip_hours,
	c.covered AS covered, c.why AS why, c.why_text AS why_text, c.gross / 1e9 AS gross,
	c.net / 1e9 AS net, c.currency AS currency
FROM coverage_part c
