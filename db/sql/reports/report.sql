-- A resource in an alert or an action.
-- name: thing
SELECT r.id, r.kind, r.source, r.project, r.location, r.name, @NAMED(r)@ AS display_name, r.state, r.type?,
	r.provisioning?, r.queued?, r.owner?, v.hosts#?, v.covered#?, v.why?, v.why_text?, v.net#?,
	v.currency?,
	@SPARED(r)@ AS held#,
	z.gross AS residual#?, z.currency AS residual_currency?, z.text AS remains?,
	CASE WHEN r.source IN ('slice', 'resize') THEN r.attached_to END AS slice_group?,
	CASE WHEN r.source = 'slice' THEN (SELECT group_concat(DISTINCT o.location) FROM pool_rows p
		JOIN resource o USING (id) WHERE p.project = r.project AND p.pool = r.attached_to
			AND o.location <> r.location) END AS pool_zones?, v.reservation?
FROM resource r CROSS JOIN as_of a LEFT JOIN verdict v ON v.id = r.id
	LEFT JOIN residual z ON z.id = r.id
WHERE r.id = $id;

-- `unread`: projects that were not polled yet, of which there are no rows to count. `basis`: inventory, billing, metrics,
-- or else that of limits: the name of a view here would create it.
-- name: freshness
SELECT COUNT(*) AS polled#, COALESCE(SUM(CASE WHEN s.state = 'ok' THEN 1 ELSE 0 END), 0) AS complete#,
	COUNT(CASE WHEN s.last_success IS NULL OR s.last_success > a.now + 300
		OR a.now - s.last_success > @STALE_AFTER@ THEN 1 END) AS stale#,
	MIN(CASE WHEN s.last_success <= a.now + 300 THEN s.last_success ELSE 0 END) AS oldest#?,
	(SELECT COUNT(*) FROM unread_project WHERE $basis = 'inventory') AS unread#
FROM source_status s CROSS JOIN as_of a LEFT JOIN poll_interval i ON i.poll_group = s.poll_group
WHERE (s.state <> 'disabled' OR EXISTS (SELECT 1 FROM resource r WHERE r.source = s.source
		AND r.project = s.project))
	AND CASE $basis WHEN 'inventory' THEN s.poll_group = 'instances' AND s.source <> 'index'
	WHEN 'billing' THEN s.source = 'billing' WHEN 'metrics' THEN s.source = 'metric'
	ELSE s.source IN ('quota', 'tpu-quota', 'compute-tpu-quota') END;

-- Sources whose last poll found the clock of this machine wrong, and the last time at which it was right.
-- name: clock_was_right
SELECT COUNT(*) AS wrong#, MAX(s.last_success) AS until#? FROM source_status s WHERE @CLOCK_WRONG(s)@;

-- name: gap_locations
SELECT DISTINCT location FROM source_gap
WHERE $projects? IS NULL OR instr(',' || $projects || ',', ',' || project || ',') > 0 ORDER BY location;

-- name: not_current
SELECT COUNT(*) AS n# FROM resource WHERE complete = 0
	AND ($projects? IS NULL OR instr(',' || $projects || ',', ',' || project || ',') > 0);

-- Sources that were not watched for all of the requested period, those with the largest gap first; in tenths of hours.
-- name: period_gaps
SELECT source, project, CAST(ROUND(hours * 10) AS INTEGER) AS hours_10#,
	CAST(ROUND(COALESCE(known_hours, 0.0) * 10) AS INTEGER) AS known_10#
FROM period_known
WHERE whole = 0 AND ($projects? IS NULL OR instr(',' || $projects || ',', ',' || project || ',') > 0)
ORDER BY 4, 2, 1;

-- A row if the table has any. Precedes statements that take long to prepare: see there_are_actions().
-- name: any_row
SELECT 1 AS one# WHERE CASE $table WHEN 'action' THEN EXISTS (SELECT 1 FROM action)
	WHEN 'anomaly' THEN EXISTS (SELECT 1 FROM anomaly) WHEN 'silence' THEN EXISTS (SELECT 1 FROM silence)
	WHEN 'list_price' THEN EXISTS (SELECT 1 FROM list_price) ELSE EXISTS (SELECT 1 FROM project_day) END;

-- The sums of ref_sum by category, project, service or sku; if `part` is set, those that have a bit
-- of it; if `accounts` is set, by account.
-- cells: bill_by
SELECT CASE WHEN $accounts# <> 0 THEN NULLIF(p.account, '') END AS account, h.currency,
	CASE WHEN $by = 'category' THEN COALESCE(k.category, 'other') END AS category,
	CASE WHEN $by = 'project' THEN NULLIF(p.project, '') END AS project,
	CASE WHEN $by = 'sku' THEN s.sku END AS sku,
	CASE WHEN $by = 'sku' THEN NULLIF(s.sku_id, '') END AS sku_id,
	CASE WHEN $by IN ('sku', 'service') THEN s.service END AS service,
	SUM(d.cost) AS cost, SUM(d.credits) AS credits, SUM(d.promo) AS promo,
	SUM(d.before) AS net_before
FROM ref_sum d JOIN charge h ON h.charge_ref = d.charge_ref
	JOIN billed_project p ON p.project_ref = d.project_ref
	JOIN sku s ON s.sku_ref = d.sku_ref
	LEFT JOIN sku_category k ON k.sku_ref = d.sku_ref
WHERE $part# = 0 OR d.part & $part <> 0
GROUP BY 1, 2, 3, 4, 5, 6, 7
ORDER BY 1, 2, SUM(d.cost + d.credits) DESC, 3, 4, 5, 6, 7;

-- Running resources whose price is from the built-in list, and the oldest date of it.
-- name: builtin_prices
SELECT project, COUNT(*) AS n#, MIN(price_date) AS date FROM resources_raw
WHERE price_date IS NOT NULL AND gross_per_hour > 0 GROUP BY project ORDER BY project;
