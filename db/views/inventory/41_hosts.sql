-- one row per machine of a managed instance group of TPUs: the hosts of slices
SELECT
	h.id, -- text: stable, unique name: project/host/zone/name
	h.uid, -- text: Google's numeric id
	'host' AS kind, -- text: always host
	h.project, -- text: project id
	h.zone AS location, -- text: its zone
	h.zone, -- text: the same
	h.name, -- text: short name
	h.slice, -- text: id of the resource that it is a part of
	h.state, -- text: running starting stopping stopped suspended deleting unknown
	h.raw_state, -- text: the state as Google names it
	h.type, -- text: machine type
	h.provisioning, -- text: on-demand spot flex-start reserved
	h.labels, -- json: a JSON object
	h.created, -- time: time of creation
	h.ends, -- time: when it is deleted by itself
	h.last_seen, -- time: last poll that found it
	h.complete -- flag: 0: it was not read in the last poll
FROM host h
