-- costs billed by Google, by day
SELECT
	day, -- text: calendar day in the configured time zone
	invoice_month, -- text: Google's invoice month, YYYYMM
	project, -- text: NULL: charged to the account (tax, support)
	service, -- text: service, as Google names it
	sku, -- text: SKU, as Google names it
	category, -- text: tpu cpu gpu disk snapshot ip network storage other
	location, -- text: as billed
	zone, -- text: as billed
	resource, -- text: resource name (detailed export only); NULL if only sums of days are kept
	cost_n AS cost, -- money: before credits
	credits_n AS credits, -- money: zero or negative
	cost_n + credits_n AS net, -- money: cost plus credits
	promo_n AS promo, -- money: the part of credits from promotional or trial credits
	currency, -- text: currency of the billing account
	usage_n AS usage, -- nanos: amount in usage_unit
	usage_unit, -- text: pricing unit
	status, -- text: partial settling settled: finality of that day
	sku_id, -- text: SKU id
	service_id, -- text: service id
	region, -- text: as billed
	cost_type, -- text: regular tax adjustment rounding_error
	owner, -- text: owner label, as billed; NULL if only sums of days are kept
	labels, -- json: as billed, with the project's; NULL if only sums of days are kept
	list_cost_n AS list_cost, -- money: at list prices; the cost itself where the export states no
		-- list cost
	savings_n AS savings, -- money: list_cost minus net: negotiated prices, commitments and credits
	consumption_model, -- text: as billed: Default, or a commitment; NULL: none is stated
	account -- text: billing account
FROM costs_exact
