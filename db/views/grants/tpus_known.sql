-- internal: whether it is known which TPUs there are: 1 where they were read completely at least
-- once, are not enabled, or were seen; else NULL. One row.
SELECT CASE WHEN EXISTS (SELECT 1 FROM source_status s WHERE s.source = 'tpu'
			AND (s.last_success IS NOT NULL OR s.state = 'disabled'))
		OR EXISTS (SELECT 1 FROM resource_interval r WHERE r.kind = 'tpu')
	THEN 1 END AS known
