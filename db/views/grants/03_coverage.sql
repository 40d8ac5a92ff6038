-- TPUs and the grants that cover them; one row per TPU and interval of the requested period
SELECT
	c.id, -- text: the TPU
	c.grant_name, -- text: the grant that pays, or NULL
	c.starts, -- time: beginning of the interval
	c.ends, -- time: end of the interval
	ROUND(c.chip_seconds / 3600.0, 4) AS chip_hours, -- decimal: chips times hours
	c.covered, -- flag: 1: free; 0: at list price, or unknown (provisioning-unknown)
	c.why, -- text: as in resources
	c.why_text, -- text: as in resources
	c.gross, -- money: list price of the interval
	c.net, -- money: 0 if covered; NULL when unknown
	c.currency -- text: currency of gross and net
FROM coverage_part c
