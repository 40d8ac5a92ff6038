-- name: bill_days
SELECT day#, project_ref#, sku_ref#, charge_ref#, cost#, credits#, promo# FROM project_day
WHERE day >= $first# AND day <= $last# ORDER BY day, project_ref, sku_ref, charge_ref;

-- name: bill_projects
SELECT project_ref AS ref#, project, account FROM billed_project ORDER BY project_ref;

-- name: bill_charges
SELECT charge_ref AS ref#, currency, rate# FROM charge ORDER BY charge_ref;

-- name: bill_hours
SELECT u.hour#, c.currency, c.rate#, u.cost#, u.credits# FROM usage u CROSS JOIN charge c
WHERE u.hour >= $from# AND u.hour < $until# AND c.charge_ref = u.charge_ref ORDER BY u.hour;
