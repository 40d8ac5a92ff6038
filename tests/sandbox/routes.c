#include "tests/sandbox/sandbox.h"

#define MDS "/computeMetadata/v1/"
#define GCE "/compute/v1/projects/*/"
#define BQ "/bigquery/v2/projects/*/"

const struct route routes[] = {
	{"POST", "/token", serve_token, true},
	{"GET", MDS "instance/service-accounts/default/token", serve_metadata_token, true},
	{"GET", MDS "project/project-id", serve_metadata_project, true},
	{"GET", MDS "project/numeric-project-id", serve_metadata_number, true},
	{"GET", MDS "instance", serve_metadata_instance, true},
	{"GET", MDS "universe/universe-domain", serve_metadata_universe, true},
	{"GET", GCE "aggregated/instances", serve_instances, false},
	{"GET", GCE "aggregated/disks", serve_disks, false},
	{"GET", GCE "aggregated/addresses", serve_addresses, false},
	{"GET", GCE "zones/*/instances/*", serve_instance, false},
	{"GET", GCE "zones/*/machineTypes/*", serve_machine_type, false},
	{"GET", "/v2/projects/*/locations", serve_locations, false},
	{"GET", "/v2/projects/*/locations/*/nodes", serve_nodes, false},
	{"GET", "/v2/projects/*/locations/*/nodes/*", serve_node, false},
	{"GET", "/v2/projects/*/locations/*/queuedResources", serve_queued, false},
	{"GET", BQ "datasets/*", serve_dataset, false},
	{"GET", BQ "datasets/*/tables/*", serve_table, false},
	{"GET", BQ "datasets/*/tables/*/data", serve_rows, false},
	{"POST", BQ "queries", serve_query, false},
	{"GET", BQ "queries/*", serve_results, false},
};
const size_t n_routes = ARRAY_LEN(routes);
