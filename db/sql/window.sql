-- name: window_clear
DELETE FROM window_span;

-- name: window_put
-- in: i64 starts, i64 ends
INSERT INTO window_span (starts, ends) VALUES ($1, $2);

-- name: window_thing_clear
DELETE FROM window_thing;

-- name: window_thing_put
-- in: text id, text uid, text kind, text project, text location, text name, text state, text? type, text? family, text? provisioning, i64? chips, i64? vcpus, i64? size_gib, text? labels, text? owner, i64 starts, i64 ends, i64 seconds, i64 running
INSERT INTO window_thing (id, uid, kind, project, location, name, state, type, family,
	provisioning, chips, vcpus, size_gib, labels, owner, starts, ends, seconds, running)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19);

-- name: window_part_clear
DELETE FROM window_part;

-- name: window_part_put
-- in: text id, text uid, text category, text? currency, i64? gross, i64? net, i64 unpriced
INSERT INTO window_part (id, uid, category, currency, gross, net, unpriced)
VALUES ($1, $2, $3, $4, $5, $6, $7);
