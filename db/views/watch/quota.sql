-- internal: quotas as they were read; id is that of the list, times 2^24, plus that of the limit
SELECT l.project, l.source, q.service, q.metric, q.location, q.dimensions, q.quota_id, q.limit_value, q.is_default,
	i.used, COALESCE(i.seen, l.seen) AS seen, i.list << 24 | i.limit_id AS id
FROM quota_list l JOIN quota_item i ON i.list = l.list JOIN quota_limit q ON q.limit_id = i.limit_id
