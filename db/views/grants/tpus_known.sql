-- internal: whether the TPUs are known: 1 if they were read completely at least once, their API is
-- not enabled, or TPUs were seen; else NULL. One row.
SELECT CASE WHEN EXISTS (SELECT 1 FROM source_status s WHERE s.source = 'tpu'
			AND (s.last_success IS NOT NULL OR s.state = 'disabled'))
		OR EXISTS (SELECT 1 FROM resource_interval r WHERE r.kind = 'tpu')
	THEN 1 END AS known
