-- internal: costs_exact by project and SKU only, without the columns that few queries need.
SELECT NULLIF(p.project, '') AS project, h.currency AS currency, NULLIF(h.rate, 0) AS rate, d.cost AS cost_n,
	d.credits AS credits_n, d.day AS day_n
FROM project_day d JOIN charge h ON h.charge_ref = d.charge_ref
	JOIN billed_project p ON p.project_ref = d.project_ref
