-- name: bill_days
SELECT day#, project_ref#, sku_ref#, charge_ref#, cost#, credits#, promo# FROM project_day
WHERE day >= $first# AND day <= $last# ORDER BY day, project_ref, sku_ref, charge_ref;

-- name: bill_projects
SELECT project_ref AS ref#, project, account FROM billed_project ORDER BY project_ref;

-- name: bill_charges
SELECT charge_ref AS ref#, currency, rate# FROM charge ORDER BY charge_ref;

-- Are only sums of days kept of a part of the bill: BILLING_BY_DAY?
-- name: bill_only_days
SELECT EXISTS (SELECT 1 FROM billing_unit WHERE recipe & 128 <> 0) AS yes#;

-- Lines of the bill by their numbers, read by position: time, numbers as in db/rollup/ref_sums.h, amounts.
-- name: bill_by_day
SELECT day#, sku_ref#, project_ref#, 0 AS place_ref#, 0 AS resource_ref#, charge_ref#, cost#, credits#
FROM project_day WHERE day >= $from# AND day < $until# ORDER BY day;

-- name: bill_by_resource
SELECT day#, sku_ref#, project_ref#, place_ref#, resource_ref#, charge_ref#, cost#, credits#
FROM cost_day WHERE day >= $from# AND day < $until# ORDER BY day;

-- name: bill_by_hour
SELECT hour#, sku_ref#, project_ref#, place_ref#, resource_ref#, charge_ref#, cost#, credits#
FROM usage WHERE hour >= $from# AND hour < $until# ORDER BY hour;

-- Reading fewer columns takes half the time.
-- name: bill_hours
SELECT hour#, 0 AS sku_ref#, 0 AS project_ref#, 0 AS place_ref#, 0 AS resource_ref#, charge_ref#, cost#, credits#
FROM usage WHERE hour >= $from# AND hour < $until# ORDER BY hour;
