-- internal: the resources of each node pool of Kubernetes Engine: its slices, and the nodes of its groups
-- that are none. Scaling the pool ends all of them.
SELECT project, attached_to AS pool, id FROM resource
WHERE source = 'slice' AND attached_to LIKE 'locations/%'
UNION SELECT project, 'locations/' || (labels ->> 'goog-k8s-cluster-location') || '/clusters/'
	|| (labels ->> 'goog-k8s-cluster-name') || '/nodePools/' || (labels ->> 'goog-k8s-node-pool-name'), slice
FROM host WHERE slice IS NOT NULL
