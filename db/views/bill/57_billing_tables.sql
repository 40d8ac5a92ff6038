-- Export tables that were polled and files that were imported, with the days they hold.
SELECT t.name AS name, t.kind AS kind,
	(SELECT COUNT(*) FROM billing_unit u WHERE u.table_id = t.table_id) AS partitions,
	(SELECT COALESCE(SUM(u.row_count), 0) FROM billing_unit u
		WHERE u.table_id = t.table_id) AS row_count,
	(SELECT SUBSTR(@RFC3339(MIN(d.day) * 86400)@, 1, 10) FROM billing_day d
		WHERE d.table_id = t.table_id) AS first_day,
	(SELECT SUBSTR(@RFC3339(MAX(d.day) * 86400)@, 1, 10) FROM billing_day d
		WHERE d.table_id = t.table_id) AS last_day
FROM billing_table t
