-- Derived data: computed from facts and configuration, never a source of truth.
--
-- @ROWS@ are rows in memory (db/derived.c): a struct that rules/ fills for one snapshot, and the
-- table through which SQL reads it, in the order of its key (@SORTED@) or of insertion. @KEPT@
-- tables are sums of the bill, stored in the file; @STAGE@ tables are temporary, of a connection
-- that writes.

-- Time and settings for which the other rows were derived; one row.
CREATE @ROWS@ TABLE as_of (
	now INTEGER NOT NULL,
	timezone TEXT NOT NULL,
	currency TEXT NOT NULL,
	today TEXT NOT NULL           -- calendar day of that zone
);

-- Verdicts of the rules about each resource.
CREATE @ROWS@ TABLE verdict (
	id TEXT PRIMARY KEY NOT NULL,
	family TEXT,
	chips INTEGER,
	hosts INTEGER,
	vcpus INTEGER,
	memory_mib INTEGER,
	running_since INTEGER,
	ends INTEGER,
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
	exempt_why TEXT,              -- the label that exempts it
	exempt_until INTEGER,         -- end of the exemption; NULL: none
	reservation TEXT              -- that it uses, and that is charged anyway
) @SORTED@;

-- Prices of reserved capacity.
CREATE @ROWS@ TABLE commitment_state (
	id TEXT PRIMARY KEY NOT NULL,
	family TEXT,                  -- of TPUs
	gross INTEGER,                -- per hour, of all of it; NULL: unknown
	unused INTEGER,               -- of the part that no machine uses; NULL: unknown
	currency TEXT
) @SORTED@;

-- Activity of running machines and TPUs.
CREATE @ROWS@ TABLE activity (
	id TEXT PRIMARY KEY NOT NULL,
	works INTEGER NOT NULL,
	idle_since INTEGER,           -- NULL: active, or unknown
	basis TEXT,                   -- known signals
	at_least INTEGER NOT NULL     -- 1: perhaps idle for longer
) @SORTED@;

-- Traffic, in bytes and bytes per second, and its possible cost per hour.
CREATE @ROWS@ TABLE egress_part (
	id TEXT PRIMARY KEY NOT NULL,
	at INTEGER NOT NULL,
	sent INTEGER,
	received INTEGER,
	sent_peak INTEGER,
	received_peak INTEGER,
	sent_bytes INTEGER,
	received_bytes INTEGER,
	rate INTEGER NOT NULL,        -- rate of the part that may be charged
	bytes INTEGER NOT NULL,       -- bytes of that part in the last hour
	far_buckets TEXT,
	path TEXT NOT NULL,
	low INTEGER,
	high INTEGER,
	currency TEXT,
	basis TEXT NOT NULL
) @SORTED@;

-- Burn per hour of each resource, by category.
CREATE @ROWS@ TABLE burn_part (
	id TEXT NOT NULL,
	category TEXT NOT NULL,
	gross INTEGER,                -- NULL: the price is unknown
	net INTEGER,
	currency TEXT,
	PRIMARY KEY (id, category)
) @SORTED@;

-- Recent cost of each resource, existing or deleted, by category; currency NULL: time without a
-- price.
CREATE @ROWS@ TABLE burned_part (
	id TEXT NOT NULL,
	uid TEXT NOT NULL,
	kind TEXT NOT NULL,
	project TEXT NOT NULL,
	category TEXT NOT NULL,
	currency TEXT,
	labels TEXT,                  -- of a deleted resource, at its end
	owner TEXT,
	gross_24h INTEGER,
	net_24h INTEGER,
	gross_7d INTEGER,
	net_7d INTEGER,
	unpriced_24h INTEGER NOT NULL,  -- seconds
	unpriced_7d INTEGER NOT NULL
);

-- The requested period; no row: none was requested.
CREATE @ROWS@ TABLE window_span (
	starts INTEGER NOT NULL,
	ends INTEGER NOT NULL
);

-- Resources in it, existing or deleted, as they were at its end.
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

-- Cost of each of them, by category; currency NULL: time without a price.
CREATE @ROWS@ TABLE window_part (
	id TEXT NOT NULL,
	uid TEXT NOT NULL,
	category TEXT NOT NULL,
	currency TEXT,
	gross INTEGER,                -- NULL: overflow
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
	project TEXT                  -- the only project that it covers; NULL: all
) @SORTED@;

-- Line of a grant that needs a check.
CREATE @ROWS@ TABLE grant_note (
	line INTEGER PRIMARY KEY NOT NULL,
	quota_note TEXT NOT NULL
) @SORTED@;

-- One row per quota of TPUs.
CREATE @ROWS@ TABLE quota_state (
	quota INTEGER PRIMARY KEY NOT NULL, -- rowid of the quota
	family TEXT,                  -- NULL: unknown
	pool TEXT NOT NULL,
	used INTEGER,                 -- by the inventory, in units of the limit
	held INTEGER                  -- chips
) @SORTED@;

-- One row per grant that is active or ended recently.
CREATE @ROWS@ TABLE grant_end (
	name TEXT PRIMARY KEY NOT NULL,
	until INTEGER NOT NULL,
	renewed_by TEXT,
	chips_used INTEGER NOT NULL,
	becomes_paid INTEGER NOT NULL,
	resources TEXT,
	per_hour INTEGER,             -- NULL: the price of one of them is unknown
	currency TEXT
);

-- TPUs that a grant covers until its end and no grant covers after it.
CREATE @ROWS@ TABLE grant_end_part (
	grant_name TEXT NOT NULL,
	id TEXT NOT NULL,
	until INTEGER NOT NULL,
	waits INTEGER NOT NULL,       -- 1: a request for a TPU that is not running yet
	type TEXT,
	gross INTEGER,
	currency TEXT,
	again INTEGER,                -- when another grant begins to cover it
	again_grant TEXT,
	why_text TEXT NOT NULL,       -- why it is not covered, from the end on
	disks TEXT,                   -- attached disks
	copy_command TEXT,
	storage_command TEXT,
	delete_command TEXT NOT NULL,
	PRIMARY KEY (grant_name, id)
) @SORTED@;

-- TPUs over the requested period.
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

-- Observed TPUs compared with billed TPUs, by day.
CREATE @ROWS@ TABLE reconcile_part (
	day TEXT NOT NULL,
	project TEXT,
	family TEXT,                  -- NULL: the SKU does not name it
	location TEXT,                -- zone, or region if the bill has no zone; NULL: neither
	provisioning TEXT,            -- NULL: unknown
	covered INTEGER,              -- chip-seconds; NULL: TPUs of unknown size
	uncovered INTEGER,
	why TEXT,                     -- reason with the longest uncovered time
	billed INTEGER,               -- nano chip-hours; NULL: not on the bill, or in an unknown
		-- unit
	sku TEXT,                     -- the one with the highest cost
	skus INTEGER NOT NULL,
	cost INTEGER,                 -- NULL: not on the bill
	credits INTEGER,
	promo INTEGER,
	list_cost INTEGER,            -- at list prices; the cost itself if the bill does not state it
	discounts TEXT,               -- credits and commitments by name; NULL: none
	currency TEXT,
	status TEXT NOT NULL,
	verdict TEXT NOT NULL,
	text TEXT NOT NULL
);

-- Resources attached to a machine or TPU: charged in addition to it, and kept when it stops.
CREATE @ROWS@ TABLE belonging (
	id TEXT NOT NULL,             -- the machine or TPU
	part TEXT NOT NULL,
	via TEXT,                     -- the machine that it is attached to, if not to this one
	relation TEXT NOT NULL,
	certain INTEGER NOT NULL,
	gross INTEGER,                -- per hour; NULL: unknown
	rest INTEGER,                 -- the same, once no running resource uses it
	currency TEXT,
	PRIMARY KEY (id, part)
) @SORTED@;

-- Cost of the disks and addresses of a machine or TPU while it is stopped.
CREATE @ROWS@ TABLE residual (
	id TEXT PRIMARY KEY NOT NULL,
	gross INTEGER,                -- per hour; NULL: in several currencies
	currency TEXT,
	text TEXT NOT NULL            -- in each currency; '': nothing
) @SORTED@;

-- Cost of a settled day at list prices, and its bill.
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

CREATE @ROWS@ TABLE sku_category (
	sku_ref INTEGER PRIMARY KEY NOT NULL,
	category TEXT NOT NULL
) @SORTED@;

-- Promotional and trial credits of the configuration.
CREATE @ROWS@ TABLE credit_state (
	name TEXT PRIMARY KEY NOT NULL,
	amount INTEGER NOT NULL,
	used INTEGER,                 -- NULL: billed in a currency without a known rate
	currency TEXT NOT NULL,
	expires INTEGER,
	runs_out INTEGER,
	safe_per_day INTEGER,
	burn INTEGER,                 -- net, per hour, of everything that runs; NULL: unknown
	unbilled INTEGER,             -- net, since the newest usage on the bill; NULL: unknown
	starts INTEGER,
	ends_text TEXT                -- NULL: no end is known
);

-- Use of the credits, by the rates at which it was billed.
CREATE @ROWS@ TABLE credit_part (
	name TEXT NOT NULL,
	currency TEXT NOT NULL,       -- currency of the bill
	rate INTEGER NOT NULL,        -- one USD in it, nanos; 0: unknown
	to_rate INTEGER NOT NULL,     -- one USD in the credit's currency
	promo INTEGER NOT NULL,
	used INTEGER,                 -- in the credit's currency; NULL: no rate
	PRIMARY KEY (name, currency, rate)
) @SORTED@;

-- Use of the credits by project.
CREATE @ROWS@ TABLE credit_project (
	name TEXT NOT NULL,
	project TEXT NOT NULL,        -- '': of the billing account itself
	used INTEGER,                 -- NULL: no rate, or several credits overlap in time
	PRIMARY KEY (name, project)
) @SORTED@;

-- Resources that would be stopped if all recommendations were followed.
CREATE @ROWS@ TABLE advised_stop (
	id TEXT PRIMARY KEY NOT NULL
) @SORTED@;

-- Budgets of the configuration in the current period.
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
	condition TEXT                -- condition over costs; NULL: all
);

-- Budgets in the periods that overlap the requested one.
CREATE @ROWS@ TABLE budget_past (
	name TEXT NOT NULL,
	period TEXT NOT NULL,
	starts INTEGER NOT NULL,
	ends INTEGER NOT NULL,
	amount INTEGER NOT NULL,
	currency TEXT NOT NULL,
	spent INTEGER,                -- NULL: no bill, or in a currency without a known rate
	converted INTEGER NOT NULL,
	since INTEGER,                -- the bill is known from this time on, and up to `known`
	known INTEGER,                -- NULL: unknown
	PRIMARY KEY (name, starts)
);

-- Costs that may not be on the bill yet: what ran in the last 72 hours, and (starts NULL) what runs
-- now; per hour.
CREATE @ROWS@ TABLE charge_part (
	id TEXT NOT NULL,
	kind TEXT NOT NULL,
	project TEXT NOT NULL,
	location TEXT NOT NULL,
	region TEXT,
	zone TEXT,
	name TEXT NOT NULL,
	category TEXT NOT NULL,
	gross INTEGER,                -- NULL: the price is unknown
	net INTEGER,
	currency TEXT,
	starts INTEGER,
	begins INTEGER,               -- of reserved capacity that is provided later
	ends INTEGER,                 -- of what runs now: the end of its burn; NULL: none is known
	advised INTEGER NOT NULL      -- to be stopped
);

-- Terms of a budget, by project.
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

-- Time up to which the costs of a billing account on a calendar day are known: the last read of the
-- export that has that day, or the end of the file that has it; the earliest of several.
CREATE @ROWS@ TABLE account_known (
	account TEXT NOT NULL,
	day INTEGER NOT NULL,
	until INTEGER NOT NULL,
	PRIMARY KEY (account, day)
) @SORTED@;

-- Polling interval of a source: after three intervals it is stale.
CREATE @ROWS@ TABLE poll_interval (
	poll_group TEXT PRIMARY KEY NOT NULL,
	seconds INTEGER NOT NULL
);

-- Configuration of each level of access; one row.
CREATE @ROWS@ TABLE access_wanted (
	projects INTEGER NOT NULL,    -- 1: projects are configured
	tables INTEGER NOT NULL,      -- tables of the billing export
	armed INTEGER NOT NULL        -- 1: resources may be stopped
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
