-- sources of the costs: tables and files
SELECT
	t.name, -- text: name of the table, or file:PATH#CHECKSUM
	t.kind, -- text: export: a polled table; file: an imported file
	(SELECT COUNT(*) FROM billing_unit u WHERE u.table_id = t.table_id) AS partitions, -- int:
		-- days of the export
	(SELECT COALESCE(SUM(u.row_count), 0) FROM billing_unit u
		WHERE u.table_id = t.table_id) AS row_count, -- int: rows of the export
	(SELECT SUBSTR(@RFC3339(MIN(d.day) * 86400)@, 1, 10) FROM billing_day d
		WHERE d.table_id = t.table_id) AS first_day, -- text: first day with usage, UTC
	(SELECT SUBSTR(@RFC3339(MAX(d.day) * 86400)@, 1, 10) FROM billing_day d
		WHERE d.table_id = t.table_id) AS last_day -- text: last day with usage, UTC
FROM billing_table t
