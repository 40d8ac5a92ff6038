-- Budgets: what is spent of them, what will be, and when they run out.
SELECT b.name AS name, b.period AS period, @RFC3339(b.starts)@ AS starts,
	@RFC3339(b.ends)@ AS ends, b.amount / 1e9 AS amount, b.spent / 1e9 AS spent,
	b.unbilled / 1e9 AS unbilled, b.expected / 1e9 AS expected,
	b.forecast / 1e9 AS forecast, ROUND(100.0 * b.expected / b.amount, 2) AS percent,
	ROUND(100.0 * b.forecast / b.amount, 2) AS forecast_percent, b.currency AS currency,
	@RFC3339(b.runs_out)@ AS runs_out, b.reached AS reached,
	b.forecast_reached AS forecast_reached,
	b.forecast_if_stopped / 1e9 AS forecast_if_stopped,
	@RFC3339(b.runs_out_if_stopped)@ AS runs_out_if_stopped,
	b.forecast_low / 1e9 AS forecast_low, b.forecast_high / 1e9 AS forecast_high,
	b.safe_per_day / 1e9 AS safe_per_day, b.unpriced AS unpriced,
	b.converted AS converted, b.basis AS basis, b.condition AS condition
FROM budget_state b
