-- When a channel took the warning of an action, the latest one; NULL: none did yet.
-- name: action_warned
-- in: i64 action
-- out: i64? at
SELECT MAX(n.finished) FROM action_notice a JOIN notification n ON n.message = a.message
WHERE a.action = $1 AND a.kind = 'warning' AND n.channel = a.channel AND n.state = 'sent';
