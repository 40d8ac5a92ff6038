-- What is derived: computed from facts and configuration, never a source of truth.
--
-- @ROWS@ are rows in memory (db/derived.c): a struct that rules/ fills for one moment, and the table
-- through which SQL reads it, in the order of its key (@SORTED@) or in which rows are put. @KEPT@
-- tables are sums of the bill, kept in the file; @STAGE@ tables are temporary, of a connection
-- that writes.

-- The moment and settings that the rest was derived for; one row.
CREATE @ROWS@ TABLE as_of (
	now INTEGER NOT NULL,
	timezone TEXT NOT NULL,
	currency TEXT NOT NULL,
	today TEXT NOT NULL           -- calendar day of that zone
);

-- What rules say about each resource.
CREATE @ROWS@ TABLE verdict (
	id TEXT PRIMARY KEY NOT NULL,
	family TEXT,
	chips INTEGER,
	hosts INTEGER,
	vcpus INTEGER,
	memory_mib INTEGER,
	running_since INTEGER,
	covered INTEGER,
	grant_name TEXT,
	why TEXT,
	why_text TEXT,
	gross INTEGER,
	net INTEGER,
	currency TEXT,
	price_source TEXT,
	exempt INTEGER NOT NULL,      -- by a label
	gross_24h INTEGER,
	net_24h INTEGER,
	sustained_use INTEGER,
	exempt_why TEXT,              -- which label that is
	exempt_until INTEGER          -- its end; NULL: none
) @SORTED@;

-- Whether machines and TPUs that run do something.
CREATE @ROWS@ TABLE activity (
	id TEXT PRIMARY KEY NOT NULL,
	works INTEGER NOT NULL,
	idle_since INTEGER,           -- NULL: it works, or nobody knows
	basis TEXT                    -- signals that are known
) @SORTED@;

-- What they send and receive, in bytes and bytes a second, and what that may cost an hour.
CREATE @ROWS@ TABLE egress_part (
	id TEXT PRIMARY KEY NOT NULL,
	at INTEGER NOT NULL,
	sent INTEGER,
	received INTEGER,
	sent_peak INTEGER,
	received_peak INTEGER,
	sent_bytes INTEGER,
	received_bytes INTEGER,
	rate INTEGER NOT NULL,        -- of what may be charged
	bytes INTEGER NOT NULL,       -- of it, in the last hour
	far_buckets TEXT,
	path TEXT NOT NULL,
	low INTEGER,
	high INTEGER,
	currency TEXT,
	basis TEXT NOT NULL
) @SORTED@;

-- What each resource burns per hour, by category.
CREATE @ROWS@ TABLE burn_part (
	id TEXT NOT NULL,
	category TEXT NOT NULL,
	gross INTEGER,                -- NULL: the price is not known
	net INTEGER,
	currency TEXT,
	PRIMARY KEY (id, category)
) @SORTED@;

-- What each thing has cost lately, gone or not, by category; currency NULL: time without a
-- price.
CREATE @ROWS@ TABLE burned_part (
	id TEXT NOT NULL,
	uid TEXT NOT NULL,
	kind TEXT NOT NULL,
	project TEXT NOT NULL,
	category TEXT NOT NULL,
	currency TEXT,
	labels TEXT,                  -- of what is gone, at its end
	owner TEXT,
	gross_24h INTEGER,
	net_24h INTEGER,
	gross_7d INTEGER,
	net_7d INTEGER,
	unpriced_24h INTEGER NOT NULL,  -- seconds
	unpriced_7d INTEGER NOT NULL
);

-- The period that was asked for; no row: none was.
CREATE @ROWS@ TABLE window_span (
	starts INTEGER NOT NULL,
	ends INTEGER NOT NULL
);

-- What there was in it, gone or not, as it was at its end.
CREATE @ROWS@ TABLE window_thing (
	id TEXT NOT NULL,
	uid TEXT NOT NULL,
	kind TEXT NOT NULL,
	project TEXT NOT NULL,
	location TEXT NOT NULL,
	name TEXT NOT NULL,
	state TEXT NOT NULL,
	type TEXT,
	family TEXT,
	provisioning TEXT,
	chips INTEGER,
	vcpus INTEGER,
	size_gib INTEGER,
	labels TEXT,
	owner TEXT,
	starts INTEGER NOT NULL,
	ends INTEGER NOT NULL,
	seconds INTEGER NOT NULL,
	running INTEGER NOT NULL,     -- seconds
	PRIMARY KEY (id, uid)
) @SORTED@;

-- What each of them cost, by category; currency NULL: time without a price.
CREATE @ROWS@ TABLE window_part (
	id TEXT NOT NULL,
	uid TEXT NOT NULL,
	category TEXT NOT NULL,
	currency TEXT,
	gross INTEGER,                -- NULL: it does not fit
	net INTEGER,
	unpriced INTEGER NOT NULL     -- seconds
);

-- One row per line of a grant.
CREATE @ROWS@ TABLE grant_state (
	line INTEGER PRIMARY KEY NOT NULL,
	name TEXT NOT NULL,
	zone TEXT NOT NULL,
	type TEXT,
	family TEXT NOT NULL,
	provisioning TEXT NOT NULL,
	granted_chips INTEGER NOT NULL,
	used_chips INTEGER NOT NULL,
	free_chips INTEGER NOT NULL,
	starts INTEGER,
	until INTEGER,
	covered_chip_seconds INTEGER NOT NULL,
	saved INTEGER,
	currency TEXT,
	project TEXT                  -- the only one that it is for; NULL: every project
) @SORTED@;

-- What is to be checked about a line of a grant.
CREATE @ROWS@ TABLE grant_note (
	line INTEGER PRIMARY KEY NOT NULL,
	quota_note TEXT NOT NULL
) @SORTED@;

-- One row per grant that runs or ended lately.
CREATE @ROWS@ TABLE grant_end (
	name TEXT PRIMARY KEY NOT NULL,
	until INTEGER NOT NULL,
	renewed_by TEXT,
	chips_used INTEGER NOT NULL,
	becomes_paid INTEGER NOT NULL,
	resources TEXT,
	per_hour INTEGER,             -- NULL: the price of one of them is not known
	currency TEXT
);

-- What a grant covers until its end and nothing covers after it.
CREATE @ROWS@ TABLE grant_end_part (
	grant_name TEXT NOT NULL,
	id TEXT NOT NULL,
	until INTEGER NOT NULL,
	waits INTEGER NOT NULL,       -- 1: a request for a TPU that does not run yet
	type TEXT,
	gross INTEGER,
	currency TEXT,
	again INTEGER,                -- when another grant begins to cover it
	again_grant TEXT,
	why_text TEXT NOT NULL,       -- why not, from the end on
	disks TEXT,                   -- attached to it
	copy_command TEXT,
	storage_command TEXT,
	delete_command TEXT NOT NULL,
	PRIMARY KEY (grant_name, id)
) @SORTED@;

-- TPUs over the asked period.
CREATE @ROWS@ TABLE coverage_part (
	id TEXT NOT NULL,
	grant_name TEXT,
	starts INTEGER NOT NULL,
	ends INTEGER NOT NULL,
	chip_seconds INTEGER,
	covered INTEGER NOT NULL,
	why TEXT NOT NULL,
	why_text TEXT,
	gross INTEGER,
	net INTEGER,
	currency TEXT
);

-- TPUs as seen against TPUs as billed, by day.
CREATE @ROWS@ TABLE reconcile_part (
	day TEXT NOT NULL,
	project TEXT,
	family TEXT,                  -- NULL: the SKU does not tell
	location TEXT,                -- zone, or region where the bill has no more; NULL: neither
	provisioning TEXT,            -- NULL: not told
	covered INTEGER,              -- chip-seconds; NULL: of TPUs whose size is not known
	uncovered INTEGER,
	why TEXT,                     -- code of what was uncovered longest
	billed INTEGER,               -- nano chip-hours; NULL: not on the bill, or in no known unit
	sku TEXT,                     -- the one that costs most
	skus INTEGER NOT NULL,
	cost INTEGER,                 -- NULL: not on the bill
	credits INTEGER,
	promo INTEGER,
	currency TEXT,
	status TEXT NOT NULL,
	verdict TEXT NOT NULL,
	text TEXT NOT NULL
);

-- What goes with a machine or TPU: it is paid beside it, and stays when it stops.
CREATE @ROWS@ TABLE belonging (
	id TEXT NOT NULL,             -- the machine or TPU
	part TEXT NOT NULL,
	via TEXT,                     -- the machine that it is attached to, when not to this one
	relation TEXT NOT NULL,
	certain INTEGER NOT NULL,
	gross INTEGER,                -- per hour; NULL: not known
	currency TEXT,
	PRIMARY KEY (id, part)
) @SORTED@;

-- What disks and addresses of a machine or TPU go on costing when it is stopped.
CREATE @ROWS@ TABLE residual (
	id TEXT PRIMARY KEY NOT NULL,
	gross INTEGER NOT NULL,       -- per hour
	currency TEXT NOT NULL
) @SORTED@;

-- What list prices say that a settled day cost, beside its bill.
CREATE @ROWS@ TABLE estimate_error (
	day TEXT NOT NULL,
	estimate INTEGER NOT NULL,
	billed INTEGER NOT NULL,
	currency TEXT NOT NULL,
	converted INTEGER NOT NULL,
	rate INTEGER,                 -- units of currency in one USD, nanos
	left_out TEXT,
	PRIMARY KEY (day, currency)
);

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
	usage INTEGER,                -- NULL: beyond what is kept
	cost INTEGER NOT NULL,
	credits INTEGER NOT NULL,
	promo INTEGER NOT NULL,
	PRIMARY KEY (day, sku_ref, project_ref, place_ref, resource_ref, charge_ref)
) STRICT, WITHOUT ROWID;

-- The same by project and SKU alone.
CREATE @KEPT@ TABLE project_day (
	day INTEGER NOT NULL,
	project_ref INTEGER NOT NULL,
	sku_ref INTEGER NOT NULL,
	charge_ref INTEGER NOT NULL,
	cost INTEGER NOT NULL,
	credits INTEGER NOT NULL,
	promo INTEGER NOT NULL,
	PRIMARY KEY (day, project_ref, sku_ref, charge_ref)
) STRICT, WITHOUT ROWID;

-- The same by account alone: for what asks for days, months and currencies. Amounts of a million
-- and more have rows of their own, so that what fits above does here; and so have promotions that
-- were taken back, so that there is one wherever there is one above.
CREATE @KEPT@ TABLE account_day (
	day INTEGER NOT NULL,
	account TEXT NOT NULL,
	charge_ref INTEGER NOT NULL,
	part INTEGER NOT NULL,        -- 0: all that are smaller, 1: and take back promotions
	cost INTEGER NOT NULL,
	credits INTEGER NOT NULL,
	promo INTEGER NOT NULL,
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

CREATE @ROWS@ TABLE sku_category (
	sku_ref INTEGER PRIMARY KEY NOT NULL,
	category TEXT NOT NULL
) @SORTED@;

-- Coupons and trial credit of the configuration.
CREATE @ROWS@ TABLE credit_state (
	name TEXT PRIMARY KEY NOT NULL,
	amount INTEGER NOT NULL,
	used INTEGER,                 -- NULL: billed in a currency without a known rate
	currency TEXT NOT NULL,
	expires INTEGER,
	runs_out INTEGER,
	safe_per_day INTEGER,
	burn INTEGER,                 -- net, per hour, of everything that runs; NULL: not known
	unbilled INTEGER,             -- net, since the newest usage on the bill; NULL: not known
	starts INTEGER
);

-- What is used of them, by the rates at which it was billed.
CREATE @ROWS@ TABLE credit_part (
	name TEXT NOT NULL,
	currency TEXT NOT NULL,       -- of the bill
	rate INTEGER NOT NULL,        -- one USD in it, nanos; 0: not known
	to_rate INTEGER NOT NULL,     -- one USD in the coupon's currency
	promo INTEGER NOT NULL,
	used INTEGER,                 -- in the coupon's currency; NULL: no rate
	PRIMARY KEY (name, currency, rate)
) @SORTED@;

-- What each project used of them.
CREATE @ROWS@ TABLE credit_project (
	name TEXT NOT NULL,
	project TEXT NOT NULL,        -- '': of the billing account itself
	used INTEGER,                 -- NULL: no rate, or several coupons ran at a time
	PRIMARY KEY (name, project)
) @SORTED@;

-- Resources that would be stopped if every advice to stop were followed.
CREATE @ROWS@ TABLE advised_stop (
	id TEXT PRIMARY KEY NOT NULL
) @SORTED@;

-- Budgets of the configuration in the period of now.
CREATE @ROWS@ TABLE budget_state (
	name TEXT PRIMARY KEY NOT NULL,
	period TEXT NOT NULL,
	starts INTEGER NOT NULL,
	ends INTEGER NOT NULL,
	amount INTEGER NOT NULL,
	currency TEXT NOT NULL,
	spent INTEGER,                -- NULL: no bill, or in a currency without a known rate
	unbilled INTEGER,
	expected INTEGER,
	forecast INTEGER,
	forecast_low INTEGER,
	forecast_high INTEGER,
	forecast_if_stopped INTEGER,
	reached INTEGER,
	forecast_reached INTEGER,
	runs_out INTEGER,
	runs_out_if_stopped INTEGER,
	safe_per_day INTEGER,
	unpriced INTEGER,
	converted INTEGER NOT NULL,
	basis TEXT NOT NULL,
	condition TEXT                -- over costs: which count; NULL: all
);

-- Budgets in the periods that the asked one has some of.
CREATE @ROWS@ TABLE budget_past (
	name TEXT NOT NULL,
	period TEXT NOT NULL,
	starts INTEGER NOT NULL,
	ends INTEGER NOT NULL,
	amount INTEGER NOT NULL,
	currency TEXT NOT NULL,
	spent INTEGER,                -- NULL: no bill, or in a currency without a known rate
	converted INTEGER NOT NULL,
	since INTEGER,                -- the bill is known from here on, and up to `known`
	known INTEGER,                -- NULL: it is not known
	PRIMARY KEY (name, starts)
);

-- What a budget is made of, by project.
CREATE @ROWS@ TABLE budget_part (
	name TEXT NOT NULL,
	project TEXT NOT NULL,        -- '': of the billing account itself
	spent INTEGER NOT NULL,
	billed_until INTEGER,
	unbilled_from INTEGER,
	per_hour INTEGER,
	unbilled INTEGER,
	currency TEXT NOT NULL,
	PRIMARY KEY (name, project)
) @SORTED@;

-- Up to when the costs of a billing account on a calendar day are known: when the export that
-- has that day was last looked at, or what the file reaches that has it; the least of several.
CREATE @ROWS@ TABLE account_known (
	account TEXT NOT NULL,
	day INTEGER NOT NULL,
	until INTEGER NOT NULL,
	PRIMARY KEY (account, day)
) @SORTED@;

-- How often a source is polled: after three times that it is stale.
CREATE @ROWS@ TABLE poll_interval (
	poll_group TEXT PRIMARY KEY NOT NULL,
	seconds INTEGER NOT NULL
);

-- What the configuration asks for of each level of access; one row.
CREATE @ROWS@ TABLE access_wanted (
	projects INTEGER NOT NULL,    -- 1: projects are watched
	tables INTEGER NOT NULL,      -- of the billing export
	armed INTEGER NOT NULL        -- 1: something may be stopped
);

-- Usage on its way in: filled page by page, and moved into the facts in one step.
CREATE @STAGE@ TABLE stage_usage (
	unit INTEGER NOT NULL,
	hour INTEGER NOT NULL,
	sku_ref INTEGER NOT NULL,
	project_ref INTEGER NOT NULL,
	place_ref INTEGER NOT NULL,
	resource_ref INTEGER NOT NULL,
	charge_ref INTEGER NOT NULL,
	credit_ref INTEGER NOT NULL,
	usage INTEGER,                -- NULL: beyond what is kept
	cost INTEGER NOT NULL,
	credits INTEGER NOT NULL,
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
