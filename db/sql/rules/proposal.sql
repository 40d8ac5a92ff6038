-- Planned resources, in addition to the existing ones.

-- Budgets with their burn per hour; NULL if the figures are unknown.
-- name: proposal_budgets
-- out: text name, i64 starts, i64 ends, i64 amount, text currency, i64? expected, i64? forecast, i64? runs_out, i64? unpriced, i64 per_hour
SELECT b.name, b.starts, b.ends, b.amount, b.currency, b.expected, b.forecast, b.runs_out,
	b.unpriced, CAST(COALESCE((SELECT SUM(p.per_hour) FROM budget_part p
		WHERE p.name = b.name), 0) AS INTEGER)
FROM budget_state b ORDER BY b.name;

-- name: proposal_quotas
-- out: text project, text service, text metric, text quota_id, text location, text dimensions, i64 limit_value, i64? used
SELECT project, service, metric, quota_id, location, dimensions, limit_value, used FROM quota
WHERE limit_value IS NOT NULL ORDER BY project, service, metric, location, quota_id;
