-- places that did not answer when a source was last read; all else of it was read
SELECT
	g.source, -- text: what is polled
	g.project, -- text: in which project
	g.location, -- text: the zone or region that did not answer
	g.since -- time: the poll that noted it
FROM source_gap g
