-- Questions about lines of the bill of which only sums of days are kept (recipe & 128, BILLING_BY_DAY).

-- The units with such usage from $from to $until, of an invoice month ('': all).
-- name: detail_units
SELECT t.table_id#, t.name, u.unit#, b.gone#,
	(SELECT MAX(x.exported) FROM billing_unit x WHERE x.table_id = t.table_id) AS exported#
FROM (SELECT DISTINCT table_id, unit FROM usage JOIN charge USING (charge_ref)
		WHERE hour >= $from# AND hour < $until# AND $month IN ('', invoice_month)) u
	JOIN billing_unit b ON b.table_id = u.table_id AND b.unit = u.unit
	JOIN billing_table t ON t.table_id = u.table_id
WHERE b.recipe & 128 <> 0 ORDER BY t.table_id, u.unit;

-- State of the stored units of all tables: an answer is as new as they are.
-- name: detail_version
SELECT COALESCE(GROUP_CONCAT(x.version), '') AS version FROM (SELECT t.name || ':' || t.last_modified_ms || ':' || COUNT(*)
		|| ':' || SUM(b.row_count) || ':' || MAX(b.exported) || ':' || MAX(b.recipe) AS version
	FROM billing_table t JOIN billing_unit b ON b.table_id = t.table_id
	GROUP BY t.table_id ORDER BY t.table_id) x;

-- name: detail_answer_get
SELECT answer_id#, version, bytes#, at# FROM detail_answer WHERE question = $question;

-- The same question, those that are no longer as new as the sums, and the oldest ones.
-- name: detail_answer_drop
DELETE FROM detail_line WHERE answer_id IN (SELECT answer_id FROM detail_answer WHERE question = $question
	OR version NOT IN ('', $version)
	OR answer_id NOT IN (SELECT answer_id FROM detail_answer ORDER BY at DESC LIMIT $keep#));
DELETE FROM detail_answer WHERE question = $question OR version NOT IN ('', $version)
	OR answer_id NOT IN (SELECT answer_id FROM detail_answer ORDER BY at DESC LIMIT $keep);

-- Without a version it is not complete.
-- name: detail_answer_add
INSERT INTO detail_answer (question, version, at, bytes) VALUES ($question, '', $at#, $bytes#);

-- name: detail_answer_ready
UPDATE detail_answer SET version = $version WHERE question = $question;

-- name: detail_lines_add
INSERT INTO detail_line (answer_id, table_id, unit, hour, sku_ref, project_ref, place_ref, resource_ref, charge_ref,
	credit_ref, usage, cost, credits, discount, committed, row_count)
SELECT (SELECT answer_id FROM detail_answer WHERE question = $question), $table_id#, unit, hour, sku_ref, project_ref,
	place_ref, resource_ref, charge_ref, credit_ref, usage, cost, credits, discount, committed, row_count
FROM stage_usage ORDER BY hour, unit, sku_ref, project_ref, place_ref, resource_ref, charge_ref, credit_ref;

-- Sums in which the answer differs from the stored ones. $projects: a JSON array; empty: all.
-- name: detail_wrong
SELECT COUNT(*) AS n# FROM (
	SELECT 1 FROM (
		SELECT project_ref, sku_ref, credit_ref, charge_ref, cost, credits FROM detail_line
		WHERE answer_id = (SELECT answer_id FROM detail_answer WHERE question = $question)
		UNION ALL SELECT u.project_ref, u.sku_ref, u.credit_ref, u.charge_ref, -u.cost, -u.credits
		FROM usage u JOIN billing_unit b ON b.table_id = u.table_id AND b.unit = u.unit
			JOIN billed_project p ON p.project_ref = u.project_ref
		WHERE b.recipe & 128 <> 0 AND u.hour >= $from# AND u.hour < $until#
			AND (json_array_length($projects) = 0
				OR p.project IN (SELECT value FROM json_each($projects)))
	) x JOIN charge c ON c.charge_ref = x.charge_ref
	WHERE $month IN ('', c.invoice_month)
	GROUP BY x.project_ref, x.sku_ref, x.credit_ref, c.invoice_month, c.currency
	HAVING SUM(x.cost) <> 0 OR SUM(x.credits) <> 0);
