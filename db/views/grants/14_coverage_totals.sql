-- the requested period by grant and reason: chip-hours, saved, leaked
--
-- Time without a price or a size is not added as zero: it has a row without currency, and a sum
-- that includes it is NULL.
SELECT
	c.grant_name, -- text: the grant that pays; NULL: none does
	c.why, -- text: as in resources
	c.covered, -- flag: 1: free; 0: at list price, or unknown (provisioning-unknown)
	COUNT(DISTINCT c.id) AS tpus, -- int: number of TPUs
	CASE WHEN COUNT(c.chip_seconds) = COUNT(*)
		THEN ROUND(SUM(c.chip_seconds) / 3600.0, 4) END AS chip_hours, -- decimal: chips
		-- times hours; NULL when a size is unknown
	SUM(c.gross) AS gross, -- money: list price of that time; NULL when unknown
	SUM(c.net) AS net, -- money: leaked amount: 0 if covered
	SUM(c.gross) - SUM(c.net) AS saved, -- money: gross minus net
	c.currency -- text: currency of gross, net and saved
FROM coverage_part c
GROUP BY c.grant_name, c.why, c.covered, c.currency
