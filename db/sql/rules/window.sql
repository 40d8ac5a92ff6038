-- name: window_clear
DELETE FROM window_span;

-- name: window_put
-- in: i64 starts, i64 ends
INSERT INTO window_span (starts, ends) VALUES ($1, $2);

-- name: window_thing_clear
DELETE FROM window_thing;

-- name: window_thing_put
-- in: text id, text uid, text kind, text project, text location, text name, text state, text? type, text? family, text? provisioning, i64? chips, i64? vcpus, i64? size_gib, text? labels, text? owner, i64 starts, i64 ends, i64 seconds, i64 running
INSERT INTO window_thing (id, uid, kind, project, location, name, state, type, family,
	provisioning, chips, vcpus, size_gib, labels, owner, starts, ends, seconds, running)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19);

-- name: window_part_clear
DELETE FROM window_part;

-- name: window_part_put
-- in: text id, text uid, text category, text? currency, i64? gross, i64? net, i64 unpriced
INSERT INTO window_part (id, uid, category, currency, gross, net, unpriced)
VALUES ($1, $2, $3, $4, $5, $6, $7);

-- Promotions on the bill by project.
-- name: promo_projects
-- in: i64 since, i64 until
-- out: text project, text currency, i64 rate, i64 promo
SELECT p.project, c.currency, c.rate, CAST(SUM(u.credits) AS BIGINT)
FROM usage u JOIN charge c ON c.charge_ref = u.charge_ref
	JOIN billed_project p ON p.project_ref = u.project_ref
WHERE u.credit_ref = 1 AND u.hour >= $1 AND u.hour < $2
GROUP BY p.project, c.currency, c.rate ORDER BY p.project, c.currency, c.rate;

-- The same of whole days of the configured zone.
-- name: promo_projects_days
-- in: i64 first, i64 end
-- out: text project, text currency, i64 rate, i64 promo
SELECT p.project, c.currency, c.rate, CAST(SUM(d.promo) AS BIGINT)
FROM project_day d JOIN charge c ON c.charge_ref = d.charge_ref
	JOIN billed_project p ON p.project_ref = d.project_ref
WHERE d.promo <> 0 AND d.day >= $1 AND d.day < $2
GROUP BY p.project, c.currency, c.rate ORDER BY p.project, c.currency, c.rate;

-- name: credit_project_clear
DELETE FROM credit_project;

-- name: credit_project_put
-- in: text name, text project, i64? used
INSERT INTO credit_project (name, project, used) VALUES ($1, $2, $3);
