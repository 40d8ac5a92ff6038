-- A database as tpucost wrote it while its schema was 1: a small world, with every kind of
-- credit and rate that a bill can have.
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE meta (
	key TEXT PRIMARY KEY NOT NULL,
	value TEXT NOT NULL
) STRICT;
INSERT INTO meta VALUES('derived','e58972b45cbb7c46');
INSERT INTO meta VALUES('rollup_timezone','UTC');
CREATE TABLE source_status (
	source TEXT NOT NULL,
	project TEXT NOT NULL,
	state TEXT NOT NULL CHECK (state IN ('ok', 'partial', 'failed', 'disabled')),
	last_attempt INTEGER NOT NULL,
	last_success INTEGER,
	items INTEGER NOT NULL,
	error TEXT,
	fix TEXT,
	PRIMARY KEY (source, project)
) STRICT;
INSERT INTO source_status VALUES('vm','lab-one','ok',1795257240,1795257240,2,NULL,NULL);
INSERT INTO source_status VALUES('vm','lab-two','ok',1795257240,1795257240,1,NULL,NULL);
INSERT INTO source_status VALUES('disk','lab-one','ok',1795257240,1795257240,2,NULL,NULL);
INSERT INTO source_status VALUES('disk','lab-two','ok',1795257240,1795257240,0,NULL,NULL);
INSERT INTO source_status VALUES('ip','lab-one','ok',1795257240,1795257240,1,NULL,NULL);
INSERT INTO source_status VALUES('ip','lab-two','ok',1795257240,1795257240,0,NULL,NULL);
INSERT INTO source_status VALUES('tpu','lab-one','ok',1795257240,1795257240,3,NULL,NULL);
INSERT INTO source_status VALUES('tpu','lab-two','ok',1795257240,1795257240,1,NULL,NULL);
INSERT INTO source_status VALUES('queued','lab-one','ok',1795257240,1795257240,0,NULL,NULL);
INSERT INTO source_status VALUES('queued','lab-two','ok',1795257240,1795257240,0,NULL,NULL);
INSERT INTO source_status VALUES('billing','lab-one','ok',1795257240,1795257240,97,NULL,NULL);
CREATE TABLE source_gap (
	source TEXT NOT NULL,
	project TEXT NOT NULL,
	location TEXT NOT NULL,
	since INTEGER NOT NULL,
	PRIMARY KEY (source, project, location)
) STRICT;
CREATE TABLE resource (
	id TEXT PRIMARY KEY NOT NULL, -- project/kind/location/name
	uid TEXT NOT NULL,            -- Google's numeric id
	source TEXT NOT NULL,
	kind TEXT NOT NULL,
	project TEXT NOT NULL,
	location TEXT NOT NULL,
	zone TEXT,
	region TEXT,
	name TEXT NOT NULL,
	state TEXT NOT NULL,
	raw_state TEXT NOT NULL,
	type TEXT,
	provisioning TEXT,
	hosts INTEGER,
	size_gib INTEGER,
	gpu_type TEXT,
	gpu_count INTEGER,
	attached_to TEXT,
	queued TEXT,                  -- queued resource that made this node
	labels TEXT NOT NULL,         -- JSON object, keys sorted
	owner TEXT,
	created INTEGER,
	started INTEGER,                -- last start, where Google tells it
	first_seen INTEGER NOT NULL,
	last_seen INTEGER NOT NULL,
	complete INTEGER NOT NULL       -- 0: its location did not answer in the last poll
) STRICT;
INSERT INTO resource VALUES('lab-one/vm/us-central1-a/off','2571887675277741995','vm','vm','lab-one','us-central1-a','us-central1-a','us-central1','off','stopped','TERMINATED','n1-standard-1','on-demand',NULL,NULL,NULL,NULL,NULL,NULL,'{}',NULL,1794393240,1794393240,1795257240,1795257240,1);
INSERT INTO resource VALUES('lab-one/vm/us-central1-b/big','2184306637683538011','vm','vm','lab-one','us-central1-b','us-central1-b','us-central1','big','running','RUNNING','n1-highmem-96','on-demand',NULL,NULL,NULL,NULL,NULL,NULL,'{"owner":"ada","team":"a b"}','ada',1795221240,1795221240,1795257240,1795257240,1);
INSERT INTO resource VALUES('lab-two/vm/us-central1-a/keep','4652054951708670729','vm','vm','lab-two','us-central1-a','us-central1-a','us-central1','keep','running','RUNNING','n1-standard-1','on-demand',NULL,NULL,NULL,NULL,NULL,NULL,'{"tpucost-keep":"forever"}',NULL,1795250040,1795250040,1795257240,1795257240,1);
INSERT INTO resource VALUES('lab-one/disk/us-central1-b/big','2531193249413113859','disk','disk','lab-one','us-central1-b','us-central1-b','us-central1','big','running','READY','pd-standard',NULL,NULL,500,NULL,NULL,'big',NULL,'{}',NULL,1795221240,NULL,1795257240,1795257240,1);
INSERT INTO resource VALUES('lab-one/disk/us-central1-b/spare','4856829644977910136','disk','disk','lab-one','us-central1-b','us-central1-b','us-central1','spare','stopped','READY','pd-ssd',NULL,NULL,800,NULL,NULL,NULL,NULL,'{}',NULL,1794393240,NULL,1795257240,1795257240,1);
INSERT INTO resource VALUES('lab-one/ip/us-central1/spare-ip','1796848841458958993','ip','ip','lab-one','us-central1',NULL,'us-central1','spare-ip','stopped','RESERVED','external',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'{}',NULL,1794393240,NULL,1795257240,1795257240,1);
INSERT INTO resource VALUES('lab-one/tpu/europe-west4-a/good','1221471960403081098','tpu','tpu','lab-one','europe-west4-a','europe-west4-a','europe-west4','good','running','READY','v3-8','on-demand',1,NULL,NULL,NULL,NULL,NULL,'{}',NULL,1795221240,NULL,1795257240,1795257240,1);
INSERT INTO resource VALUES('lab-one/tpu/us-central1-a/wrong','4056524075255267487','tpu','tpu','lab-one','us-central1-a','us-central1-a','us-central1','wrong','running','READY','v3-8','on-demand',1,NULL,NULL,NULL,NULL,NULL,'{}',NULL,1795221240,NULL,1795257240,1795257240,1);
INSERT INTO resource VALUES('lab-one/tpu/us-central1-f/pre','3158622384034858690','tpu','tpu','lab-one','us-central1-f','us-central1-f','us-central1','pre','preempted','PREEMPTED','v2-8','spot',NULL,NULL,NULL,NULL,NULL,NULL,'{}',NULL,1795221240,NULL,1795257240,1795257240,1);
INSERT INTO resource VALUES('lab-two/tpu/us-central2-b/slice','2669337246685360914','tpu','tpu','lab-two','us-central2-b','us-central2-b','us-central2','slice','running','READY','v4-16','spot',2,NULL,NULL,NULL,NULL,NULL,'{}',NULL,1795221240,NULL,1795257240,1795257240,1);
CREATE TABLE resource_interval (
	id TEXT NOT NULL,
	uid TEXT NOT NULL,
	starts INTEGER NOT NULL,
	ends INTEGER,
	kind TEXT NOT NULL,
	project TEXT NOT NULL,
	location TEXT NOT NULL,
	name TEXT NOT NULL,
	state TEXT NOT NULL,
	type TEXT,
	provisioning TEXT,
	size_gib INTEGER,
	created INTEGER,
	PRIMARY KEY (id, uid, starts)
) STRICT;
INSERT INTO resource_interval VALUES('lab-one/vm/us-central1-a/off','2571887675277741995',1794389640,NULL,'vm','lab-one','us-central1-a','off','stopped','n1-standard-1','on-demand',NULL,1794393240);
INSERT INTO resource_interval VALUES('lab-one/vm/us-central1-b/big','2184306637683538011',1795221240,NULL,'vm','lab-one','us-central1-b','big','running','n1-highmem-96','on-demand',NULL,1795221240);
INSERT INTO resource_interval VALUES('lab-two/vm/us-central1-a/keep','4652054951708670729',1795246440,NULL,'vm','lab-two','us-central1-a','keep','running','n1-standard-1','on-demand',NULL,1795250040);
INSERT INTO resource_interval VALUES('lab-one/disk/us-central1-b/big','2531193249413113859',1795221240,NULL,'disk','lab-one','us-central1-b','big','running','pd-standard',NULL,500,1795221240);
INSERT INTO resource_interval VALUES('lab-one/disk/us-central1-b/spare','4856829644977910136',1794389640,NULL,'disk','lab-one','us-central1-b','spare','stopped','pd-ssd',NULL,800,1794393240);
INSERT INTO resource_interval VALUES('lab-one/ip/us-central1/spare-ip','1796848841458958993',1794393240,NULL,'ip','lab-one','us-central1','spare-ip','stopped','external',NULL,NULL,1794393240);
INSERT INTO resource_interval VALUES('lab-one/tpu/europe-west4-a/good','1221471960403081098',1795217640,NULL,'tpu','lab-one','europe-west4-a','good','running','v3-8','on-demand',NULL,1795221240);
INSERT INTO resource_interval VALUES('lab-one/tpu/us-central1-a/wrong','4056524075255267487',1795221240,NULL,'tpu','lab-one','us-central1-a','wrong','running','v3-8','on-demand',NULL,1795221240);
INSERT INTO resource_interval VALUES('lab-one/tpu/us-central1-f/pre','3158622384034858690',1795217640,NULL,'tpu','lab-one','us-central1-f','pre','preempted','v2-8','spot',NULL,1795221240);
INSERT INTO resource_interval VALUES('lab-two/tpu/us-central2-b/slice','2669337246685360914',1795221240,NULL,'tpu','lab-two','us-central2-b','slice','running','v4-16','spot',NULL,1795221240);
CREATE TABLE billing_table (
	table_id INTEGER PRIMARY KEY,
	name TEXT NOT NULL UNIQUE,     -- project.dataset.table
	location TEXT NOT NULL,
	last_modified_ms INTEGER NOT NULL,
	row_count INTEGER NOT NULL
) STRICT;
INSERT INTO billing_table VALUES(1,'lab-one.billing.gcp_billing_export_v1_00AA11','EU',1795014000000,193);
CREATE TABLE billing_unit (
	table_id INTEGER NOT NULL REFERENCES billing_table (table_id),
	unit INTEGER NOT NULL,           -- partition day, days since 1970-01-01 (UTC)
	row_count INTEGER NOT NULL,      -- rows in the export
	exported INTEGER NOT NULL,       -- newest export_time in it
	ingested INTEGER NOT NULL,
	PRIMARY KEY (table_id, unit)
) STRICT;
INSERT INTO billing_unit VALUES(1,20773,32,1794870000,1795257240);
INSERT INTO billing_unit VALUES(1,20774,97,1794956400,1795257240);
INSERT INTO billing_unit VALUES(1,20775,64,1795014000,1795257240);
CREATE TABLE billing_unit_sum (
	table_id INTEGER NOT NULL,
	unit INTEGER NOT NULL,
	currency TEXT NOT NULL,
	cost INTEGER NOT NULL,
	credits INTEGER NOT NULL,
	PRIMARY KEY (table_id, unit, currency),
	FOREIGN KEY (table_id, unit) REFERENCES billing_unit (table_id, unit)
) STRICT;
INSERT INTO billing_unit_sum VALUES(1,20773,'HKD',6069312000,-3999999999);
INSERT INTO billing_unit_sum VALUES(1,20773,'USD',18208992000,-10000000000);
INSERT INTO billing_unit_sum VALUES(1,20774,'HKD',30346560000,-10599999985);
INSERT INTO billing_unit_sum VALUES(1,20774,'USD',43498352000,-19299999991);
INSERT INTO billing_unit_sum VALUES(1,20775,'HKD',18207936000,-9999999999);
INSERT INTO billing_unit_sum VALUES(1,20775,'USD',30348672000,-13299999991);
CREATE TABLE sku (
	sku_ref INTEGER PRIMARY KEY,
	service_id TEXT NOT NULL,
	service TEXT NOT NULL,
	sku_id TEXT NOT NULL,
	sku TEXT NOT NULL,
	UNIQUE (service_id, service, sku_id, sku)
) STRICT;
INSERT INTO sku VALUES(1,'6F81-5844-456A','Compute Engine','2E27-4F75-95CD','N1 Predefined Instance Core running in Americas');
INSERT INTO sku VALUES(2,'6F81-5844-456A','Compute Engine','D973-5D65-BAB2','Storage PD Capacity');
INSERT INTO sku VALUES(3,'','Invoice','','Tax');
CREATE TABLE billed_project (
	project_ref INTEGER PRIMARY KEY,
	project TEXT NOT NULL UNIQUE
) STRICT;
INSERT INTO billed_project VALUES(1,'lab-one');
INSERT INTO billed_project VALUES(2,'lab-two');
INSERT INTO billed_project VALUES(3,'');
CREATE TABLE place (
	place_ref INTEGER PRIMARY KEY,
	location TEXT NOT NULL,
	region TEXT NOT NULL,
	zone TEXT NOT NULL,
	UNIQUE (location, region, zone)
) STRICT;
INSERT INTO place VALUES(1,'us-central1','us-central1','us-central1-b');
INSERT INTO place VALUES(2,'us-central1','us-central1','');
INSERT INTO place VALUES(3,'','','');
CREATE TABLE billed_resource (
	resource_ref INTEGER PRIMARY KEY,
	resource TEXT NOT NULL,
	global_name TEXT NOT NULL,
	UNIQUE (resource, global_name)
) STRICT;
INSERT INTO billed_resource VALUES(1,'big','');
INSERT INTO billed_resource VALUES(2,'','');
CREATE TABLE usage (
	table_id INTEGER NOT NULL,
	unit INTEGER NOT NULL,
	hour INTEGER NOT NULL,           -- start of the usage hour
	sku_ref INTEGER NOT NULL REFERENCES sku (sku_ref),
	project_ref INTEGER NOT NULL REFERENCES billed_project (project_ref),
	place_ref INTEGER NOT NULL REFERENCES place (place_ref),
	resource_ref INTEGER NOT NULL REFERENCES billed_resource (resource_ref),
	invoice_month TEXT NOT NULL,
	cost_type TEXT NOT NULL,
	currency TEXT NOT NULL,
	usage_unit TEXT NOT NULL,
	usage INTEGER NOT NULL,          -- nanos of usage_unit
	cost INTEGER NOT NULL,           -- before credits
	credits INTEGER NOT NULL,        -- zero or negative as a rule
	promo INTEGER NOT NULL,          -- the part of credits of type PROMOTION
	rate INTEGER,                    -- units of currency in one USD, nanos
	row_count INTEGER NOT NULL,
	PRIMARY KEY (table_id, unit, hour, sku_ref, project_ref, place_ref, resource_ref,
		invoice_month, cost_type, currency, usage_unit)
) STRICT, WITHOUT ROWID;
INSERT INTO usage VALUES(1,20773,1794823200,1,1,1,1,'202611','regular','USD','hour',96000000000,3034656000,-2000000000,-1500000000,NULL,1);
INSERT INTO usage VALUES(1,20773,1794823200,2,2,2,2,'202611','regular','USD','gibibyte month',132000,132000,0,0,NULL,3);
INSERT INTO usage VALUES(1,20773,1794826800,1,1,1,1,'202612','regular','USD','hour',96000000000,3034656000,-2000000000,0,NULL,1);
INSERT INTO usage VALUES(1,20773,1794826800,2,2,2,2,'202612','regular','USD','gibibyte month',132000,132000,0,0,NULL,3);
INSERT INTO usage VALUES(1,20773,1794830400,1,1,1,1,'202611','regular','USD','hour',96000000000,3034656000,0,0,NULL,1);
INSERT INTO usage VALUES(1,20773,1794830400,2,2,2,2,'202611','regular','USD','gibibyte month',132000,132000,0,0,NULL,3);
INSERT INTO usage VALUES(1,20773,1794834000,1,1,1,1,'202611','regular','HKD','hour',96000000000,3034656000,-2000000000,-2000000000,7788150000,1);
INSERT INTO usage VALUES(1,20773,1794834000,2,2,2,2,'202611','regular','USD','gibibyte month',132000,132000,0,0,NULL,3);
INSERT INTO usage VALUES(1,20773,1794837600,1,1,1,1,'202611','regular','HKD','hour',96000000000,3034656000,-1999999999,-3000000001,7790000000,1);
INSERT INTO usage VALUES(1,20773,1794837600,2,2,2,2,'202611','regular','USD','gibibyte month',132000,132000,0,0,NULL,3);
INSERT INTO usage VALUES(1,20773,1794841200,1,1,1,1,'202611','regular','USD','hour',96000000000,3034656000,-2000000000,-1500000000,NULL,1);
INSERT INTO usage VALUES(1,20773,1794841200,2,2,2,2,'202611','regular','USD','gibibyte month',132000,132000,0,0,NULL,3);
INSERT INTO usage VALUES(1,20773,1794844800,1,1,1,1,'202611','regular','USD','hour',96000000000,3034656000,-2000000000,-1500000000,NULL,1);
INSERT INTO usage VALUES(1,20773,1794844800,2,2,2,2,'202611','regular','USD','gibibyte month',132000,132000,0,0,NULL,3);
INSERT INTO usage VALUES(1,20773,1794848400,1,1,1,1,'202611','regular','USD','hour',96000000000,3034656000,-2000000000,-1500000000,NULL,1);
INSERT INTO usage VALUES(1,20773,1794848400,2,2,2,2,'202611','regular','USD','gibibyte month',132000,132000,0,0,NULL,3);
INSERT INTO usage VALUES(1,20774,1794852000,1,1,1,1,'202611','regular','HKD','hour',96000000000,3034656000,700000007,700000007,7788150000,1);
INSERT INTO usage VALUES(1,20774,1794852000,2,2,2,2,'202611','regular','USD','gibibyte month',132000,132000,0,0,NULL,3);
INSERT INTO usage VALUES(1,20774,1794855600,1,1,1,1,'202611','regular','HKD','hour',96000000000,3034656000,0,400000004,7790000000,1);
INSERT INTO usage VALUES(1,20774,1794855600,2,2,2,2,'202611','regular','USD','gibibyte month',132000,132000,0,0,NULL,3);
INSERT INTO usage VALUES(1,20774,1794859200,1,1,1,1,'202611','regular','USD','hour',96000000000,3034656000,-2000000000,-2000000000,NULL,1);
INSERT INTO usage VALUES(1,20774,1794859200,2,2,2,2,'202611','regular','USD','gibibyte month',132000,132000,0,0,NULL,3);
INSERT INTO usage VALUES(1,20774,1794862800,1,1,1,1,'202611','regular','USD','hour',96000000000,3034656000,-1999999999,-3000000001,NULL,1);
INSERT INTO usage VALUES(1,20774,1794862800,2,2,2,2,'202611','regular','USD','gibibyte month',132000,132000,0,0,NULL,3);
INSERT INTO usage VALUES(1,20774,1794866400,1,1,1,1,'202611','regular','USD','hour',96000000000,3034656000,-2000000000,-1500000000,NULL,1);
INSERT INTO usage VALUES(1,20774,1794866400,2,2,2,2,'202611','regular','USD','gibibyte month',132000,132000,0,0,NULL,3);
INSERT INTO usage VALUES(1,20774,1794870000,1,1,1,1,'202611','regular','HKD','hour',96000000000,3034656000,-2000000000,-1500000000,7788150000,1);
INSERT INTO usage VALUES(1,20774,1794870000,2,2,2,2,'202611','regular','USD','gibibyte month',132000,132000,0,0,NULL,3);
INSERT INTO usage VALUES(1,20774,1794873600,1,1,1,1,'202612','regular','HKD','hour',96000000000,3034656000,-2000000000,-1500000000,7790000000,1);
INSERT INTO usage VALUES(1,20774,1794873600,2,2,2,2,'202612','regular','USD','gibibyte month',132000,132000,0,0,NULL,3);
INSERT INTO usage VALUES(1,20774,1794877200,1,1,1,1,'202611','regular','USD','hour',96000000000,3034656000,-2000000000,0,NULL,1);
INSERT INTO usage VALUES(1,20774,1794877200,2,2,2,2,'202611','regular','USD','gibibyte month',132000,132000,0,0,NULL,3);
INSERT INTO usage VALUES(1,20774,1794880800,1,1,1,1,'202611','regular','USD','hour',96000000000,3034656000,0,0,NULL,1);
INSERT INTO usage VALUES(1,20774,1794880800,2,2,2,2,'202611','regular','USD','gibibyte month',132000,132000,0,0,NULL,3);
INSERT INTO usage VALUES(1,20774,1794884400,1,1,1,1,'202611','regular','USD','hour',96000000000,3034656000,-2000000000,-2000000000,NULL,1);
INSERT INTO usage VALUES(1,20774,1794884400,2,2,2,2,'202611','regular','USD','gibibyte month',132000,132000,0,0,NULL,3);
INSERT INTO usage VALUES(1,20774,1794888000,1,1,1,1,'202611','regular','HKD','hour',96000000000,3034656000,-1999999999,-3000000001,7788150000,1);
INSERT INTO usage VALUES(1,20774,1794888000,2,2,2,2,'202611','regular','USD','gibibyte month',132000,132000,0,0,NULL,3);
INSERT INTO usage VALUES(1,20774,1794891600,1,1,1,1,'202611','regular','HKD','hour',96000000000,3034656000,700000007,700000007,7790000000,1);
INSERT INTO usage VALUES(1,20774,1794891600,2,2,2,2,'202611','regular','USD','gibibyte month',132000,132000,0,0,NULL,3);
INSERT INTO usage VALUES(1,20774,1794895200,1,1,1,1,'202611','regular','USD','hour',96000000000,3034656000,0,400000004,NULL,1);
INSERT INTO usage VALUES(1,20774,1794895200,2,2,2,2,'202611','regular','USD','gibibyte month',132000,132000,0,0,NULL,3);
INSERT INTO usage VALUES(1,20774,1794898800,1,1,1,1,'202611','regular','USD','hour',96000000000,3034656000,-2000000000,-1500000000,NULL,1);
INSERT INTO usage VALUES(1,20774,1794898800,2,2,2,2,'202611','regular','USD','gibibyte month',132000,132000,0,0,NULL,3);
INSERT INTO usage VALUES(1,20774,1794902400,1,1,1,1,'202611','regular','USD','hour',96000000000,3034656000,-2000000000,0,NULL,1);
INSERT INTO usage VALUES(1,20774,1794902400,2,2,2,2,'202611','regular','USD','gibibyte month',132000,132000,0,0,NULL,3);
INSERT INTO usage VALUES(1,20774,1794906000,1,1,1,1,'202611','regular','HKD','hour',96000000000,3034656000,0,0,7788150000,1);
INSERT INTO usage VALUES(1,20774,1794906000,2,2,2,2,'202611','regular','USD','gibibyte month',132000,132000,0,0,NULL,3);
INSERT INTO usage VALUES(1,20774,1794909600,1,1,1,1,'202611','regular','HKD','hour',96000000000,3034656000,-2000000000,-2000000000,7790000000,1);
INSERT INTO usage VALUES(1,20774,1794909600,2,2,2,2,'202611','regular','USD','gibibyte month',132000,132000,0,0,NULL,3);
INSERT INTO usage VALUES(1,20774,1794909600,3,3,3,2,'202611','tax','USD','',0,1010000000,0,0,NULL,1);
INSERT INTO usage VALUES(1,20774,1794913200,1,1,1,1,'202611','regular','USD','hour',96000000000,3034656000,-1999999999,-3000000001,NULL,1);
INSERT INTO usage VALUES(1,20774,1794913200,2,2,2,2,'202611','regular','USD','gibibyte month',132000,132000,0,0,NULL,3);
INSERT INTO usage VALUES(1,20774,1794916800,1,1,1,1,'202611','regular','USD','hour',96000000000,3034656000,-2000000000,-1500000000,NULL,1);
INSERT INTO usage VALUES(1,20774,1794916800,2,2,2,2,'202611','regular','USD','gibibyte month',132000,132000,0,0,NULL,3);
INSERT INTO usage VALUES(1,20774,1794920400,1,1,1,1,'202612','regular','USD','hour',96000000000,3034656000,-2000000000,-1500000000,NULL,1);
INSERT INTO usage VALUES(1,20774,1794920400,2,2,2,2,'202612','regular','USD','gibibyte month',132000,132000,0,0,NULL,3);
INSERT INTO usage VALUES(1,20774,1794924000,1,1,1,1,'202611','regular','HKD','hour',96000000000,3034656000,-2000000000,-1500000000,7788150000,1);
INSERT INTO usage VALUES(1,20774,1794924000,2,2,2,2,'202611','regular','USD','gibibyte month',132000,132000,0,0,NULL,3);
INSERT INTO usage VALUES(1,20774,1794927600,1,1,1,1,'202611','regular','HKD','hour',96000000000,3034656000,-2000000000,0,7790000000,1);
INSERT INTO usage VALUES(1,20774,1794927600,2,2,2,2,'202611','regular','USD','gibibyte month',132000,132000,0,0,NULL,3);
INSERT INTO usage VALUES(1,20774,1794931200,1,1,1,1,'202611','regular','USD','hour',96000000000,3034656000,700000007,700000007,NULL,1);
INSERT INTO usage VALUES(1,20774,1794931200,2,2,2,2,'202611','regular','USD','gibibyte month',132000,132000,0,0,NULL,3);
INSERT INTO usage VALUES(1,20774,1794934800,1,1,1,1,'202611','regular','USD','hour',96000000000,3034656000,0,400000004,NULL,1);
INSERT INTO usage VALUES(1,20774,1794934800,2,2,2,2,'202611','regular','USD','gibibyte month',132000,132000,0,0,NULL,3);
INSERT INTO usage VALUES(1,20775,1794938400,1,1,1,1,'202611','regular','USD','hour',96000000000,3034656000,-1999999999,-3000000001,NULL,1);
INSERT INTO usage VALUES(1,20775,1794938400,2,2,2,2,'202611','regular','USD','gibibyte month',132000,132000,0,0,NULL,3);
INSERT INTO usage VALUES(1,20775,1794942000,1,1,1,1,'202611','regular','HKD','hour',96000000000,3034656000,-2000000000,-1500000000,7788150000,1);
INSERT INTO usage VALUES(1,20775,1794942000,2,2,2,2,'202611','regular','USD','gibibyte month',132000,132000,0,0,NULL,3);
INSERT INTO usage VALUES(1,20775,1794945600,1,1,1,1,'202611','regular','HKD','hour',96000000000,3034656000,-2000000000,-1500000000,7790000000,1);
INSERT INTO usage VALUES(1,20775,1794945600,2,2,2,2,'202611','regular','USD','gibibyte month',132000,132000,0,0,NULL,3);
INSERT INTO usage VALUES(1,20775,1794949200,1,1,1,1,'202611','regular','USD','hour',96000000000,3034656000,-2000000000,-1500000000,NULL,1);
INSERT INTO usage VALUES(1,20775,1794949200,2,2,2,2,'202611','regular','USD','gibibyte month',132000,132000,0,0,NULL,3);
INSERT INTO usage VALUES(1,20775,1794952800,1,1,1,1,'202611','regular','USD','hour',96000000000,3034656000,-2000000000,0,NULL,1);
INSERT INTO usage VALUES(1,20775,1794952800,2,2,2,2,'202611','regular','USD','gibibyte month',132000,132000,0,0,NULL,3);
INSERT INTO usage VALUES(1,20775,1794956400,1,1,1,1,'202611','regular','USD','hour',96000000000,3034656000,0,0,NULL,1);
INSERT INTO usage VALUES(1,20775,1794956400,2,2,2,2,'202611','regular','USD','gibibyte month',132000,132000,0,0,NULL,3);
INSERT INTO usage VALUES(1,20775,1794960000,1,1,1,1,'202611','regular','HKD','hour',96000000000,3034656000,-2000000000,-2000000000,7788150000,1);
INSERT INTO usage VALUES(1,20775,1794960000,2,2,2,2,'202611','regular','USD','gibibyte month',132000,132000,0,0,NULL,3);
INSERT INTO usage VALUES(1,20775,1794963600,1,1,1,1,'202611','regular','HKD','hour',96000000000,3034656000,-1999999999,-3000000001,7790000000,1);
INSERT INTO usage VALUES(1,20775,1794963600,2,2,2,2,'202611','regular','USD','gibibyte month',132000,132000,0,0,NULL,3);
INSERT INTO usage VALUES(1,20775,1794967200,1,1,1,1,'202612','regular','USD','hour',96000000000,3034656000,-2000000000,-1500000000,NULL,1);
INSERT INTO usage VALUES(1,20775,1794967200,2,2,2,2,'202612','regular','USD','gibibyte month',132000,132000,0,0,NULL,3);
INSERT INTO usage VALUES(1,20775,1794970800,1,1,1,1,'202611','regular','USD','hour',96000000000,3034656000,700000007,700000007,NULL,1);
INSERT INTO usage VALUES(1,20775,1794970800,2,2,2,2,'202611','regular','USD','gibibyte month',132000,132000,0,0,NULL,3);
INSERT INTO usage VALUES(1,20775,1794974400,1,1,1,1,'202611','regular','USD','hour',96000000000,3034656000,0,400000004,NULL,1);
INSERT INTO usage VALUES(1,20775,1794974400,2,2,2,2,'202611','regular','USD','gibibyte month',132000,132000,0,0,NULL,3);
INSERT INTO usage VALUES(1,20775,1794978000,1,1,1,1,'202611','regular','HKD','hour',96000000000,3034656000,-2000000000,0,7788150000,1);
INSERT INTO usage VALUES(1,20775,1794978000,2,2,2,2,'202611','regular','USD','gibibyte month',132000,132000,0,0,NULL,3);
INSERT INTO usage VALUES(1,20775,1794981600,1,1,1,1,'202611','regular','HKD','hour',96000000000,3034656000,0,0,7790000000,1);
INSERT INTO usage VALUES(1,20775,1794981600,2,2,2,2,'202611','regular','USD','gibibyte month',132000,132000,0,0,NULL,3);
INSERT INTO usage VALUES(1,20775,1794985200,1,1,1,1,'202611','regular','USD','hour',96000000000,3034656000,-2000000000,-2000000000,NULL,1);
INSERT INTO usage VALUES(1,20775,1794985200,2,2,2,2,'202611','regular','USD','gibibyte month',132000,132000,0,0,NULL,3);
INSERT INTO usage VALUES(1,20775,1794988800,1,1,1,1,'202611','regular','USD','hour',96000000000,3034656000,-1999999999,-3000000001,NULL,1);
INSERT INTO usage VALUES(1,20775,1794988800,2,2,2,2,'202611','regular','USD','gibibyte month',132000,132000,0,0,NULL,3);
INSERT INTO usage VALUES(1,20775,1794992400,1,1,1,1,'202611','regular','USD','hour',96000000000,3034656000,-2000000000,-1500000000,NULL,1);
INSERT INTO usage VALUES(1,20775,1794992400,2,2,2,2,'202611','regular','USD','gibibyte month',132000,132000,0,0,NULL,3);
CREATE TABLE as_of (
	now INTEGER NOT NULL,
	timezone TEXT NOT NULL,
	currency TEXT NOT NULL
);
INSERT INTO as_of VALUES(1795257240,'UTC','USD');
CREATE TABLE verdict (
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
	exempt INTEGER NOT NULL
);
INSERT INTO verdict VALUES('lab-one/disk/us-central1-b/big',NULL,NULL,NULL,NULL,NULL,1795221240,NULL,NULL,NULL,NULL,27397260,27397260,'USD','builtin',0);
INSERT INTO verdict VALUES('lab-one/disk/us-central1-b/spare',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,186301370,186301370,'USD','builtin',0);
INSERT INTO verdict VALUES('lab-one/ip/us-central1/spare-ip',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,10000000,10000000,'USD','builtin',0);
INSERT INTO verdict VALUES('lab-one/tpu/europe-west4-a/good','v3',4,1,NULL,NULL,1795217640,1,'trc','covered','covered by trc: 5 on-demand v3-8 devices in europe-west4-a',8800000000,0,'USD','builtin',0);
INSERT INTO verdict VALUES('lab-one/tpu/us-central1-a/wrong','v3',4,1,NULL,NULL,1795221240,0,NULL,'wrong-zone','v3-8 is granted in europe-west4-a (trc); this one is in us-central1-a',8000000000,8000000000,'USD','builtin',0);
INSERT INTO verdict VALUES('lab-one/tpu/us-central1-f/pre','v2',4,1,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,0,'USD','builtin',0);
INSERT INTO verdict VALUES('lab-one/vm/us-central1-a/off','n1',NULL,NULL,1,3840,NULL,NULL,NULL,NULL,NULL,0,0,'USD','builtin',0);
INSERT INTO verdict VALUES('lab-one/vm/us-central1-b/big','n1',NULL,NULL,96,638976,1795221240,NULL,NULL,NULL,NULL,5678544000,5678544000,'USD','builtin',0);
INSERT INTO verdict VALUES('lab-two/tpu/us-central2-b/slice','v4',8,2,NULL,NULL,1795221240,0,NULL,'wrong-provisioning','v4 is granted as on-demand in us-central2-b (trc); this one is spot',7372000000,7372000000,'USD','builtin',0);
INSERT INTO verdict VALUES('lab-two/vm/us-central1-a/keep','n1',NULL,NULL,1,3840,1795246440,NULL,NULL,NULL,NULL,47499750,47499750,'USD','builtin',1);
CREATE TABLE burn_part (
	id TEXT NOT NULL,
	category TEXT NOT NULL,
	gross INTEGER,                  -- NULL: the price is not known
	net INTEGER,
	currency TEXT,
	PRIMARY KEY (id, category)
);
INSERT INTO burn_part VALUES('lab-one/disk/us-central1-b/big','disk',27397260,27397260,'USD');
INSERT INTO burn_part VALUES('lab-one/disk/us-central1-b/spare','disk',186301370,186301370,'USD');
INSERT INTO burn_part VALUES('lab-one/ip/us-central1/spare-ip','ip',10000000,10000000,'USD');
INSERT INTO burn_part VALUES('lab-one/tpu/europe-west4-a/good','tpu',8800000000,0,'USD');
INSERT INTO burn_part VALUES('lab-one/tpu/us-central1-a/wrong','tpu',8000000000,8000000000,'USD');
INSERT INTO burn_part VALUES('lab-one/vm/us-central1-b/big','cpu',5678544000,5678544000,'USD');
INSERT INTO burn_part VALUES('lab-two/tpu/us-central2-b/slice','tpu',7372000000,7372000000,'USD');
INSERT INTO burn_part VALUES('lab-two/vm/us-central1-a/keep','cpu',47499750,47499750,'USD');
CREATE TABLE grant_state (
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
	currency TEXT
);
INSERT INTO grant_state VALUES(0,'trc','europe-west4-a','v3-8','v3','on-demand',20,4,16,1793491200,1796083200,158400,96800000000,'USD');
INSERT INTO grant_state VALUES(1,'trc','us-central2-b',NULL,'v4','on-demand',32,0,32,1793491200,1796083200,0,0,'USD');
CREATE TABLE coverage_part (
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
INSERT INTO coverage_part VALUES('lab-one/tpu/europe-west4-a/good','trc',1795217640,1795257240,158400,1,'covered','covered by trc: 5 on-demand v3-8 devices in europe-west4-a',96800000000,0,'USD');
INSERT INTO coverage_part VALUES('lab-one/tpu/us-central1-a/wrong',NULL,1795221240,1795257240,144000,0,'wrong-zone','v3-8 is granted in europe-west4-a (trc); this one is in us-central1-a',80000000000,80000000000,'USD');
INSERT INTO coverage_part VALUES('lab-two/tpu/us-central2-b/slice',NULL,1795221240,1795257240,288000,0,'wrong-provisioning','v4 is granted as on-demand in us-central2-b (trc); this one is spot',73720000000,73720000000,'USD');
CREATE TABLE calendar (
	day INTEGER PRIMARY KEY NOT NULL,
	date TEXT NOT NULL,
	starts INTEGER NOT NULL,
	ends INTEGER NOT NULL
);
INSERT INTO calendar VALUES(20773,'2026-11-16',1794787200,1794873600);
INSERT INTO calendar VALUES(20774,'2026-11-17',1794873600,1794960000);
INSERT INTO calendar VALUES(20775,'2026-11-18',1794960000,1795046400);
CREATE TABLE cost_day (
	day INTEGER NOT NULL,
	sku_ref INTEGER NOT NULL,
	project_ref INTEGER NOT NULL,
	place_ref INTEGER NOT NULL,
	resource_ref INTEGER NOT NULL,
	invoice_month TEXT NOT NULL,
	cost_type TEXT NOT NULL,
	currency TEXT NOT NULL,
	usage_unit TEXT NOT NULL,
	usage INTEGER NOT NULL,
	cost INTEGER NOT NULL,
	credits INTEGER NOT NULL,
	promo INTEGER NOT NULL,
	PRIMARY KEY (day, sku_ref, project_ref, place_ref, resource_ref, invoice_month,
		cost_type, currency, usage_unit)
);
INSERT INTO cost_day VALUES(20773,1,1,1,1,'202611','regular','HKD','hour',480000000000,15173280000,-5299999992,-5399999990);
INSERT INTO cost_day VALUES(20773,1,1,1,1,'202611','regular','USD','hour',768000000000,24277248000,-13999999999,-12500000001);
INSERT INTO cost_day VALUES(20773,1,1,1,1,'202612','regular','USD','hour',96000000000,3034656000,-2000000000,0);
INSERT INTO cost_day VALUES(20773,2,2,2,2,'202611','regular','USD','gibibyte month',1716000,1716000,0,0);
INSERT INTO cost_day VALUES(20773,2,2,2,2,'202612','regular','USD','gibibyte month',132000,132000,0,0);
INSERT INTO cost_day VALUES(20774,1,1,1,1,'202611','regular','HKD','hour',768000000000,24277248000,-11299999992,-8799999994);
INSERT INTO cost_day VALUES(20774,1,1,1,1,'202611','regular','USD','hour',1344000000000,42485184000,-17299999991,-10999999987);
INSERT INTO cost_day VALUES(20774,1,1,1,1,'202612','regular','HKD','hour',96000000000,3034656000,-2000000000,-1500000000);
INSERT INTO cost_day VALUES(20774,1,1,1,1,'202612','regular','USD','hour',96000000000,3034656000,-2000000000,-1500000000);
INSERT INTO cost_day VALUES(20774,2,2,2,2,'202611','regular','USD','gibibyte month',2904000,2904000,0,0);
INSERT INTO cost_day VALUES(20774,2,2,2,2,'202612','regular','USD','gibibyte month',264000,264000,0,0);
INSERT INTO cost_day VALUES(20774,3,3,3,2,'202611','tax','USD','',0,1010000000,0,0);
INSERT INTO cost_day VALUES(20775,1,1,1,1,'202611','regular','HKD','hour',384000000000,12138624000,-5999999999,-5000000001);
INSERT INTO cost_day VALUES(20775,1,1,1,1,'202611','regular','USD','hour',480000000000,15173280000,-5299999992,-5399999990);
INSERT INTO cost_day VALUES(20775,1,1,1,1,'202612','regular','USD','hour',96000000000,3034656000,-2000000000,-1500000000);
INSERT INTO cost_day VALUES(20775,2,2,2,2,'202611','regular','USD','gibibyte month',1188000,1188000,0,0);
INSERT INTO cost_day VALUES(20775,2,2,2,2,'202612','regular','USD','gibibyte month',132000,132000,0,0);
CREATE TABLE sku_category (
	sku_ref INTEGER PRIMARY KEY NOT NULL,
	category TEXT NOT NULL
);
INSERT INTO sku_category VALUES(1,'cpu');
INSERT INTO sku_category VALUES(2,'disk');
INSERT INTO sku_category VALUES(3,'other');
CREATE TABLE credit_state (
	name TEXT PRIMARY KEY NOT NULL,
	amount INTEGER NOT NULL,
	used INTEGER,                   -- NULL: billed in a currency without a known rate
	currency TEXT NOT NULL,
	expires INTEGER,
	runs_out INTEGER
);
CREATE TABLE source_interval (
	source TEXT PRIMARY KEY NOT NULL,
	seconds INTEGER NOT NULL
);
INSERT INTO source_interval VALUES('vm',60);
INSERT INTO source_interval VALUES('disk',60);
INSERT INTO source_interval VALUES('ip',60);
INSERT INTO source_interval VALUES('tpu',60);
INSERT INTO source_interval VALUES('queued',60);
INSERT INTO source_interval VALUES('billing',3600);
CREATE INDEX resource_by_source ON resource (source, project);
CREATE INDEX resource_interval_by_end ON resource_interval (kind, ends);
CREATE VIEW resources AS
-- Everything that exists now, every project and zone: what it is, what it burns, covered
-- or not and why.
SELECT r.id AS id, r.uid AS uid, r.kind AS kind, r.project AS project,
	r.location AS location, r.zone AS zone, r.region AS region, r.name AS name,
	r.state AS state, r.raw_state AS raw_state, r.type AS type, v.family AS family,
	r.provisioning AS provisioning, v.chips AS chips, v.hosts AS hosts,
	v.vcpus AS vcpus, v.memory_mib / 1024.0 AS memory_gib, r.size_gib AS size_gib,
	r.attached_to AS attached_to, r.labels AS labels, r.owner AS owner,
	strftime('%Y-%m-%dT%H:%M:%SZ', r.created, 'unixepoch') AS created,
	ROUND((a.now - r.created) / 3600.0, 2) AS age_hours,
	ROUND((a.now - v.running_since) / 3600.0, 2) AS running_hours,
	NULL AS idle_minutes,
	v.covered AS covered, v.grant_name AS grant_name, v.why AS why,
	v.why_text AS why_text,
	v.gross / 1e9 AS gross_per_hour, v.net / 1e9 AS net_per_hour, v.currency AS currency,
	COALESCE(v.price_source, 'unknown') AS price_source,
	COALESCE(v.exempt, 0) AS exempt,
	strftime('%Y-%m-%dT%H:%M:%SZ', r.last_seen, 'unixepoch') AS last_seen, r.complete AS complete
FROM resource r CROSS JOIN as_of a LEFT JOIN verdict v ON v.id = r.id
;
CREATE VIEW grants AS
-- What the TPU Research Cloud grants, and how much of it is in use now; one row per line of
-- a grant.
SELECT g.name AS name, g.zone AS zone, g.type AS type, g.family AS family,
	g.provisioning AS provisioning, g.granted_chips AS granted_chips,
	g.used_chips AS used_chips, g.free_chips AS free_chips,
	strftime('%Y-%m-%dT%H:%M:%SZ', g.starts, 'unixepoch') AS starts, strftime('%Y-%m-%dT%H:%M:%SZ', g.until, 'unixepoch') AS until,
	ROUND((g.until - a.now) / 86400.0, 2) AS days_left,
	ROUND(g.covered_chip_seconds / 3600.0, 4) AS covered_chip_hours,
	g.saved / 1e9 AS saved, g.currency AS currency
FROM grant_state g CROSS JOIN as_of a
;
CREATE VIEW coverage AS
-- TPUs against grants over the asked period; one row per TPU and stretch of time.
SELECT c.id AS id, c.grant_name AS grant_name, strftime('%Y-%m-%dT%H:%M:%SZ', c.starts, 'unixepoch') AS starts,
	strftime('%Y-%m-%dT%H:%M:%SZ', c.ends, 'unixepoch') AS ends, ROUND(c.chip_seconds / 3600.0, 4) AS chip_hours,
	c.covered AS covered, c.why AS why, c.why_text AS why_text, c.gross / 1e9 AS gross,
	c.net / 1e9 AS net, c.currency AS currency
FROM coverage_part c
;
CREATE VIEW burn AS
-- What runs now, per hour and day, by project and category. A row without currency counts
-- resources whose price is not known; of a machine each part counts whose price is.
SELECT r.project AS project, b.category AS category,
	CAST(SUM(b.gross) AS BIGINT) / 1e9 AS gross_per_hour,
	CAST(SUM(b.net) AS BIGINT) / 1e9 AS net_per_hour,
	CASE WHEN SUM(b.gross) < 384000000000000000
		THEN CAST(SUM(b.gross) * 24 AS BIGINT) / 1e9 END AS gross_per_day,
	CASE WHEN SUM(b.net) < 384000000000000000
		THEN CAST(SUM(b.net) * 24 AS BIGINT) / 1e9 END AS net_per_day,
	COUNT(*) AS resources, b.currency AS currency
FROM burn_part b JOIN resource r ON r.id = b.id
GROUP BY r.project, b.category, b.currency
;
CREATE VIEW costs_exact AS
-- internal: costs with its amounts also as integer nano-units, so that sums stay exact.
SELECT c.date AS day, d.invoice_month AS invoice_month, NULLIF(p.project, '') AS project,
	s.service AS service, s.sku AS sku, COALESCE(k.category, 'other') AS category,
	NULLIF(l.location, '') AS location, NULLIF(l.zone, '') AS zone,
	NULLIF(r.resource, '') AS resource, d.cost / 1e9 AS cost, d.credits / 1e9 AS credits,
	(d.cost + d.credits) / 1e9 AS net, d.promo / 1e9 AS promo, d.currency AS currency,
	d.usage / 1e9 AS usage, NULLIF(d.usage_unit, '') AS usage_unit,
	CASE WHEN a.now < c.ends + 86400 THEN 'partial'
		WHEN a.now < c.ends + 259200 THEN 'settling' ELSE 'settled' END AS status,
	s.sku_id AS sku_id, s.service_id AS service_id, NULLIF(l.region, '') AS region,
	d.cost_type AS cost_type, d.cost AS cost_n, d.credits AS credits_n,
	d.promo AS promo_n, d.usage AS usage_n
FROM cost_day d
	JOIN calendar c ON c.day = d.day
	JOIN sku s ON s.sku_ref = d.sku_ref
	JOIN billed_project p ON p.project_ref = d.project_ref
	JOIN place l ON l.place_ref = d.place_ref
	JOIN billed_resource r ON r.resource_ref = d.resource_ref
	LEFT JOIN sku_category k ON k.sku_ref = d.sku_ref
	CROSS JOIN as_of a
;
CREATE VIEW costs AS
-- What Google billed, by day of the configured time zone. cost is before credits, net is
-- what is left to pay.
SELECT day, invoice_month, project, service, sku, category, location, zone, resource, cost,
	credits, net, promo, currency, usage, usage_unit, status, sku_id, service_id, region,
	cost_type
FROM costs_exact
;
CREATE VIEW credits AS
-- Coupons and trial credit: used is what the bill shows as promotion since they began.
SELECT c.name AS name, c.amount / 1e9 AS amount, c.used / 1e9 AS used,
	(c.amount - c.used) / 1e9 AS "left", c.currency AS currency,
	strftime('%Y-%m-%dT%H:%M:%SZ', c.expires, 'unixepoch') AS expires, strftime('%Y-%m-%dT%H:%M:%SZ', c.runs_out, 'unixepoch') AS runs_out
FROM credit_state c
;
CREATE VIEW sources AS
-- What is polled, when it last answered completely, and what is wrong with it.
SELECT s.source AS source, s.project AS project,
	strftime('%Y-%m-%dT%H:%M:%SZ', s.last_success, 'unixepoch') AS last_success,
	ROUND((a.now - s.last_success) / 60.0, 1) AS age_minutes,
	CASE WHEN s.state = 'ok' THEN 1 ELSE 0 END AS complete,
	CASE WHEN s.state = 'disabled' THEN 0
		WHEN s.last_success IS NULL THEN 1
		WHEN a.now - s.last_success > 3 * COALESCE(i.seconds, 3600) THEN 1
		ELSE 0 END AS stale,
	s.error AS error, s.state AS state, s.items AS items, s.fix AS fix,
	strftime('%Y-%m-%dT%H:%M:%SZ', s.last_attempt, 'unixepoch') AS last_attempt
FROM source_status s CROSS JOIN as_of a LEFT JOIN source_interval i ON i.source = s.source
;
COMMIT;
PRAGMA application_id = 1414550851;
PRAGMA user_version = 1;
