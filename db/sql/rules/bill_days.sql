-- name: bill_days
-- out: i64 day, i64 project_ref, i64 sku_ref, i64 charge_ref, i64 cost, i64 credits, i64 promo
SELECT day, project_ref, sku_ref, charge_ref, cost, credits, promo FROM project_day
WHERE day >= $first# AND day <= $last# ORDER BY day, project_ref, sku_ref, charge_ref;

-- name: bill_projects
-- out: i64 ref, text project, text account
SELECT project_ref, project, account FROM billed_project ORDER BY project_ref;

-- name: bill_charges
-- out: i64 ref, text currency, i64 rate
SELECT charge_ref, currency, rate FROM charge ORDER BY charge_ref;
