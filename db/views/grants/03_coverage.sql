-- TPUs against grants; one row per TPU and stretch of the asked period
SELECT
	c.id, -- text: the TPU
	c.grant_name, -- text: the grant that pays, or NULL
	c.starts, -- time: start of this stretch
	c.ends, -- time: end of this stretch
	ROUND(c.chip_seconds / 3600.0, 4) AS chip_hours, -- decimal: chips times hours
	c.covered, -- flag: 1: free; 0: at list price
	c.why, -- text: as in resources
	c.why_text, -- text: as in resources
	c.gross, -- money: list price of the stretch
	c.net, -- money: 0 where covered
	c.currency -- text: of gross and net
FROM coverage_part c
