-- Is there any row? In front of statements that take long to prepare: see reports/there.h.

-- name: any_action
-- out: i64 one
SELECT 1 FROM action LIMIT 1;

-- name: any_alert
-- out: i64 one
SELECT 1 FROM alert WHERE state = 'firing' LIMIT 1;

-- name: any_silence
-- out: i64 one
SELECT 1 FROM silence LIMIT 1;
