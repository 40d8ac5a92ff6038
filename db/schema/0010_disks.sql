-- A disk is attached or unattached; it neither runs nor stops.
UPDATE resource SET state = CASE state WHEN 'running' THEN 'attached' ELSE 'unattached' END
WHERE kind = 'disk' AND state IN ('running', 'stopped');
UPDATE resource_interval SET state = CASE state WHEN 'running' THEN 'attached' ELSE 'unattached' END
WHERE kind = 'disk' AND state IN ('running', 'stopped');
