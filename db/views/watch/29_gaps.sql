-- locations that were unreachable in the last read of a source; the other locations were read
SELECT
	g.source, -- text: name of the source
	g.project, -- text: project of the source
	g.location, -- text: the unreachable zone or region; `somewhere`: Google did not say where
	g.since -- time: the poll that recorded it
FROM source_gap g
