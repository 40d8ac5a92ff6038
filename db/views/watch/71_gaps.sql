-- Places that did not answer when a source was last read; what is missing there is not gone.
SELECT g.source AS source, g.project AS project, g.location AS location,
	@RFC3339(g.since)@ AS since
FROM source_gap g
