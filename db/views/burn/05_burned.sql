-- recent cost of each resource, existing or deleted
--
-- One row per resource, category and currency, at today's list prices.
SELECT
	h.id, -- text: the resource
	h.kind, -- text: tpu vm disk ip snapshot
	h.project, -- text: project id
	h.category, -- text: tpu cpu gpu disk snapshot ip
	CASE WHEN r.id IS NULL THEN h.owner ELSE r.owner END AS owner, -- text: as in resources; of
		-- a deleted resource, at its end
	CASE WHEN r.id IS NULL THEN h.labels ELSE r.labels END AS labels, -- json: as in resources;
		-- of a deleted resource, at its end
	CASE WHEN r.id IS NULL THEN 0 ELSE 1 END AS is_there, -- flag: 1: it still exists; 0:
		-- deleted
	h.gross_24h, -- money: list price of its history in the last 24 h
	h.net_24h, -- money: minus what grants covered
	h.gross_7d, -- money: gross of the last 7 days
	h.net_7d, -- money: net of the last 7 days
	h.currency, -- text: NULL: hours with an unknown price
	ROUND(h.unpriced_7d / 3600.0, 2) AS unpriced_hours, -- decimal: hours of the last 7 days without a price
	k.known_hours -- decimal: as in burn
FROM burned_part h LEFT JOIN resource r ON r.id = h.id AND r.uid = h.uid
	LEFT JOIN burn_known k ON k.project = h.project AND k.category = h.category
