-- Derived data: computed from facts and configuration, never a source of truth.
--
-- ROWS are in memory (db/derived.c): a struct that rules/ fills for one snapshot, and the table
-- through which SQL reads it, in the order of its key (SORTED), which stands before "|", or of
-- insertion. Columns end with their types, as in queries (db/gen.awk). @KEPT@ tables are sums of the
-- bill, stored in the file; @STAGE@ tables are temporary, of a connection that writes.

-- Time and settings for which the other rows were derived; one row.
ROWS as_of (now#, timezone, currency,
	today -- calendar day of that zone
);

-- Verdicts of the rules about each resource.
ROWS verdict (id | family?, chips#?, held_chips#?, hosts#?, vcpus#?, memory_mib#?, running_since#?, ends#?,
	covered#?, grant_name?, why?, why_text?, gross#?, net#?, currency?, price_source?,
	price_date?, -- of the built-in list, if it is from that
	exempt#, -- by a label
	gross_24h#?, net_24h#?, sustained_use#?,
	exempt_why?, -- the label that exempts it
	exempt_until#?, -- end of the exemption; NULL: none
	reservation? -- that it uses, and that is charged anyway
) SORTED;

-- Prices of reserved capacity.
ROWS commitment_state (id |
	family?, -- of TPUs
	gross#?, -- per hour, of all of it; NULL: unknown
	unused#?, -- of the part that no machine uses; NULL: unknown
	currency?) SORTED;

-- Activity of running machines and TPUs.
ROWS activity (id | works#,
	idle_since#?, -- NULL: active, or unknown
	basis?, -- known signals
	at_least# -- 1: perhaps idle for longer
) SORTED;

-- Traffic, in bytes and bytes per second, and its possible cost per hour.
ROWS egress_part (id | at#, sent#?, received#?, sent_peak#?, received_peak#?, sent_bytes#?,
	received_bytes#?,
	rate#, -- rate of the part that may be charged
	bytes#, -- bytes of that part in the last hour
	far_buckets?, -- of a bucket: machines elsewhere
	receiver?, -- of a bucket: the machine elsewhere that receives most
	destinations?, -- of a machine: by VM flow counters
	class_a#?, class_b#?, -- of a bucket: operations in the last hour
	path, low#?, high#?,
	likely#?, -- of a bucket: low if machines elsewhere receive it, else high
	requests#?, -- of a bucket: operations of both classes per second
	operations#?, -- of a bucket: their cost per hour; NULL: unknown
	currency?, basis) SORTED;

-- Burn per hour of each resource, by category.
ROWS burn_part (id, category |
	gross#?, -- NULL: the price is unknown
	net#?, currency?) SORTED;

-- Recent cost of each resource, existing or deleted, by category; currency NULL: time without a
-- price.
ROWS burned_part (id, uid, kind, project, category, currency?,
	labels?, -- of a deleted resource, at its end
	owner?, gross_24h#?, net_24h#?, gross_7d#?, net_7d#?,
	unpriced_24h#, -- seconds
	unpriced_7d#);

-- The requested period; no row: none was requested.
ROWS window_span (starts#, ends#);

-- Resources in it, existing or deleted, as they were at its end.
ROWS window_thing (id, uid | kind, project, location, name, state, type?, family?, provisioning?,
	chips#?, vcpus#?, size_gib#?, labels?, owner?, starts#, ends#, seconds#,
	running# -- seconds
) SORTED;

-- Cost of each of them, by category; currency NULL: time without a price.
ROWS window_part (id, uid, category, currency?,
	gross#?, -- NULL: overflow
	net#?,
	unpriced# -- seconds
);

-- One row per line of a grant.
ROWS grant_state (line# | name, zone, type?, family, provisioning, granted_chips#, used_chips#?,
	free_chips#?, starts#?, until#?, covered_chip_seconds#, saved#?, currency?,
	project?, -- the only project that it covers; NULL: all
	shared_with?
) SORTED;

-- Line of a grant that needs a check.
ROWS grant_note (line# | quota_note) SORTED;

-- One row per quota of TPUs.
ROWS quota_state (quota# | -- id of the quota
	family?, -- NULL: unknown
	pool,
	used#?, -- by the inventory, in units of the limit
	held#? -- chips
) SORTED;

-- Resources that hold it without use.
ROWS quota_hold (quota#, id | delete_command) SORTED;

-- TPUs of a family and class that were asked for in a zone, as polls observed them; times in seconds.
ROWS capacity_state (zone, family, provisioning | types, requests#, granted#,
	waits#, -- granted requests that were observed from their beginning
	wait_median#?, -- NULL: too few of them, or fewer than half are granted
	wait_p90#?,
	lives#, -- running times of spot nodes that were observed from their beginning
	preempted#, -- of them
	life_median#?, -- NULL: as above
	preempted_hours?, -- hours of the day, and the number in each; NULL: none
	last_success#?, last_stockout#?, stockout_error?,
	since#, -- first observation
	text) SORTED;

-- One row per grant that is active or ended recently.
ROWS grant_end (name | until#, renewed_by?, chips_used#?, becomes_paid#, paid_text, resources?,
	per_hour#?, -- NULL: the price of one of them is unknown
	currency?);

-- TPUs that a grant covers until its end and no grant covers after it.
ROWS grant_end_part (grant_name, id | until#,
	waits#, -- 1: a request for a TPU that is not running yet
	type?, gross#?, currency?,
	again#?, -- when another grant begins to cover it
	again_grant?,
	why_text, -- why it is not covered, from the end on
	disks?, -- attached disks
	copy_command?, storage_command?, delete_command) SORTED;

-- TPUs over the requested period.
ROWS coverage_part (id, grant_name?, starts#, ends#, chip_seconds#?, covered#, why, why_text?,
	gross#?, net#?, currency?);

-- Observed TPUs compared with billed TPUs, by day.
ROWS reconcile_part (day, project?,
	family?, -- NULL: the SKU does not name it
	location?, -- zone, or region if the bill has no zone; NULL: neither
	provisioning?, -- NULL: unknown
	covered#?, -- chip-seconds; NULL: TPUs of unknown size
	uncovered#?,
	why?, -- reason with the longest uncovered time
	billed#?, -- nano chip-hours; NULL: not on the bill, or in an unknown unit
	sku?, -- the one with the highest cost
	skus#,
	cost#?, -- NULL: not on the bill
	credits#?, promo#?,
	list_cost#?, -- at list prices; the cost itself if the bill does not state it
	discounts?, -- credits and commitments by name; NULL: none
	currency?, status, verdict, text);

-- Resources attached to a machine or TPU: charged in addition to it, and kept when it stops.
ROWS belonging (id, -- the machine or TPU
	part |
	via?, -- the machine that it is attached to, if not to this one
	relation, certain#,
	gross#?, -- per hour; NULL: unknown
	rest#?, -- the same, once no running resource uses it
	currency?) SORTED;

-- Cost of the disks and addresses of a machine or TPU while it is stopped.
ROWS residual (id |
	gross#?, -- per hour; NULL: in several currencies
	currency?,
	text -- in each currency; '': nothing
) SORTED;

-- Cost of a settled day at list prices, and its bill.
ROWS estimate_error (day, currency | estimate#, billed#, converted#,
	rate#?, -- units of currency in one USD, nanos
	left_out?);

-- Calendar days of the configured zone, [starts, ends).
CREATE @KEPT@ TABLE calendar (
	day INTEGER PRIMARY KEY NOT NULL,
	date TEXT NOT NULL,
	starts INTEGER NOT NULL,
	ends INTEGER NOT NULL
);

-- Billed usage by calendar day.
CREATE @KEPT@ TABLE cost_day (
	day INTEGER NOT NULL,
	sku_ref INTEGER NOT NULL,
	project_ref INTEGER NOT NULL,
	place_ref INTEGER NOT NULL,
	resource_ref INTEGER NOT NULL,
	charge_ref INTEGER NOT NULL,
	usage INTEGER,                -- NULL: exceeds 64 bits
	cost INTEGER NOT NULL,
	credits INTEGER NOT NULL,
	promo INTEGER NOT NULL,
	discount INTEGER NOT NULL DEFAULT 0, -- cost at list prices, minus cost
	committed INTEGER NOT NULL DEFAULT 0, -- part of it by the consumption model
	PRIMARY KEY (day, sku_ref, project_ref, place_ref, resource_ref, charge_ref)
) STRICT, WITHOUT ROWID;

-- The same by project and SKU only.
CREATE @KEPT@ TABLE project_day (
	day INTEGER NOT NULL,
	project_ref INTEGER NOT NULL,
	sku_ref INTEGER NOT NULL,
	charge_ref INTEGER NOT NULL,
	cost INTEGER NOT NULL,
	credits INTEGER NOT NULL,
	promo INTEGER NOT NULL,
	discount INTEGER NOT NULL DEFAULT 0,
	committed INTEGER NOT NULL DEFAULT 0,
	PRIMARY KEY (day, project_ref, sku_ref, charge_ref)
) STRICT, WITHOUT ROWID;

-- The same by account only: for queries of days, months and currencies. Amounts of a million and
-- more have rows of their own, so that sums that fit above also fit here; and so do promotions that
-- were taken back, so that a promotion exists here if one exists above.
CREATE @KEPT@ TABLE account_day (
	day INTEGER NOT NULL,
	account TEXT NOT NULL,
	charge_ref INTEGER NOT NULL,
	part INTEGER NOT NULL,        -- 0: all smaller amounts, 1: and promotions that were taken
		-- back
	cost INTEGER NOT NULL,
	credits INTEGER NOT NULL,
	promo INTEGER NOT NULL,
	discount INTEGER NOT NULL DEFAULT 0,
	PRIMARY KEY (day, account, charge_ref, part)
) STRICT, WITHOUT ROWID;

-- Credits by calendar day and type.
CREATE @KEPT@ TABLE credit_day (
	day INTEGER NOT NULL,
	sku_ref INTEGER NOT NULL,
	project_ref INTEGER NOT NULL,
	place_ref INTEGER NOT NULL,
	resource_ref INTEGER NOT NULL,
	charge_ref INTEGER NOT NULL,
	credit_ref INTEGER NOT NULL,
	credits INTEGER NOT NULL,
	PRIMARY KEY (day, sku_ref, project_ref, place_ref, resource_ref, charge_ref, credit_ref)
) STRICT, WITHOUT ROWID;

ROWS sku_category (sku_ref# | category) SORTED;

-- Promotional and trial credits of the configuration.
ROWS credit_state (name | amount#,
	used#?, -- NULL: billed in a currency without a known rate
	currency, expires#?, runs_out#?, safe_per_day#?,
	burn#?, -- net, per hour, of everything that runs; NULL: unknown
	unbilled#?, -- net, since the newest usage on the bill; NULL: unknown
	unread#?, -- 1: both are unknown because running resources have not been read
	starts#?,
	ends_text?, -- NULL: no end is known
	billed_from#? -- beginning of the bill, if it is after that of the credit
);

-- Use of the credits, by the rates at which it was billed.
ROWS credit_part (name,
	currency, -- currency of the bill
	rate# | -- one USD in it, nanos; 0: unknown
	to_rate#, -- one USD in the credit's currency
	promo#,
	used#? -- in the credit's currency; NULL: no rate
) SORTED;

-- Use of the credits by project.
ROWS credit_project (name,
	project | -- '': of the billing account itself
	used#? -- NULL: no rate, or several credits overlap in time
) SORTED;

-- Resources that would be stopped if all recommendations were followed.
ROWS advised_stop (id |) SORTED;

-- Budgets of the configuration in the current period.
ROWS budget_state (name | period, starts#, ends#, amount#, currency,
	spent#?, -- NULL: no bill, or in a currency without a known rate
	unbilled#?, expected#?, forecast#?, forecast_low#?, forecast_high#?, forecast_if_stopped#?,
	reached#?, forecast_reached#?, runs_out#?, runs_out_if_stopped#?, safe_per_day#?,
	unpriced#?, converted#, basis,
	condition? -- condition over costs; NULL: all
);

-- Budgets in the periods that overlap the requested one.
ROWS budget_past (name, starts# | period, ends#, amount#, currency,
	spent#?, -- NULL: no bill, or in a currency without a known rate
	converted#,
	since#?, -- the bill is known from this time on, and up to `known`
	known#? -- NULL: unknown
);

-- Costs that may not be on the bill yet: what ran since the newest usage on it, and (starts NULL) what
-- runs now; per hour.
ROWS charge_part (id, kind, project, location, region?, zone?, name, category,
	gross#?, -- NULL: the price is unknown
	net#?, currency?, starts#?,
	begins#?, -- of reserved capacity that is provided later, or the end of a TPU's grant
	ends#?, -- of what runs now: the end of its burn; NULL: none is known
	billed#?, -- usage of its service is on the bill up to here; NULL: not in the last 14 days
	advised# -- to be stopped
);

-- Terms of a budget, by project.
ROWS budget_part (name,
	project | -- '': of the billing account itself
	spent#, billed_until#?, unbilled_from#?, per_hour#?, unbilled#?, currency) SORTED;

-- Time up to which the costs of a billing account on a calendar day are known: the last read of the
-- export that has that day, or the end of the file that has it; the earliest of several. The day is
-- first in its key, because a look-up is by the first column.
ROWS account_known (day#, account | until#) SORTED;

-- Polling interval of a source: after three intervals it is stale.
ROWS poll_interval (poll_group | seconds#);

-- Projects that are configured and were not polled yet, if others were.
ROWS unread_project (project |);

-- Configuration of each level of access; one row.
ROWS access_wanted (projects#, -- 1: projects are configured
	tables#, -- tables of the billing export
	armed# -- 1: resources may be stopped
);

-- Staged usage: filled page by page, and moved into the facts in one step.
CREATE @STAGE@ TABLE stage_usage (
	unit INTEGER NOT NULL,
	hour INTEGER NOT NULL,
	sku_ref INTEGER NOT NULL,
	project_ref INTEGER NOT NULL,
	place_ref INTEGER NOT NULL,
	resource_ref INTEGER NOT NULL,
	charge_ref INTEGER NOT NULL,
	credit_ref INTEGER NOT NULL,
	usage INTEGER,                -- NULL: exceeds 64 bits
	cost INTEGER NOT NULL,
	credits INTEGER NOT NULL,
	discount INTEGER NOT NULL DEFAULT 0,
	committed INTEGER NOT NULL DEFAULT 0,
	row_count INTEGER NOT NULL,
	PRIMARY KEY (unit, hour, sku_ref, project_ref, place_ref, resource_ref, charge_ref,
		credit_ref)
) STRICT, WITHOUT ROWID;

-- The usage days (UTC) of each project in it.
CREATE @STAGE@ TABLE stage_day (
	unit INTEGER NOT NULL,
	project_ref INTEGER NOT NULL,
	day INTEGER NOT NULL,
	PRIMARY KEY (unit, project_ref, day)
) STRICT, WITHOUT ROWID;
