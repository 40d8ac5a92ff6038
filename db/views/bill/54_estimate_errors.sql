-- How far list prices of what was seen are from the settled bill.
SELECT day, estimate / 1e9 AS estimate, billed / 1e9 AS billed, currency,
	CASE WHEN billed > 0 THEN ROUND(100.0 * (estimate - billed) / billed, 2) END AS percent,
	converted, rate / 1e9 AS rate, left_out
FROM estimate_error
