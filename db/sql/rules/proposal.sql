-- Planned resources, in addition to the existing ones.

-- Budgets with their burn per hour; NULL if the figures are unknown.
-- name: proposal_budgets
SELECT b.name, b.starts#, b.ends#, b.amount#, b.currency, b.expected#?, b.forecast#?, b.runs_out#?,
	b.unpriced#?, b.basis, CAST(COALESCE((SELECT SUM(p.per_hour) FROM budget_part p
		WHERE p.name = b.name), 0) AS INTEGER) AS per_hour#
FROM budget_state b ORDER BY b.name;

-- Lines of grants whose use is unknown, after a poll of TPUs.
-- name: proposal_unread
SELECT g.line# FROM grant_state g WHERE g.line NOT IN (SELECT u.line FROM grant_use u)
	AND EXISTS (SELECT 1 FROM source_status s WHERE s.source = 'tpu');

-- name: proposal_quotas
SELECT project, service, metric, quota_id, location, dimensions, limit_value#, used#? FROM quota
WHERE limit_value IS NOT NULL ORDER BY project, service, metric, location, quota_id;
