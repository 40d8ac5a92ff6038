/* The lease and the copy of the database. Private to leader.c and copy.c. */
#ifndef TPUCOST_CLI_NET_LEADING_H
#define TPUCOST_CLI_NET_LEADING_H

#include "cli/net/wire.h"
#include "gcp/storage.h"
#include "rules/act/leader.h"

struct leading {
	struct app *app;
	struct net net;
	struct gcs_object object, copy; /* bucket NULL: none */
	struct leader_store store;
	struct leader leader;
	char owner[120];
	bool unknown; /* the lease could not be read in this cycle */
};

/* Stores a value of the table meta, if it is another one. */
enum err_code leading_set_meta(
	struct leading *l, const char *key, const char *value, struct err *e) must_check;
/* Replaces the database with the copy in Cloud Storage, if that is newer or this one was not used. app->db is open for
 * writing, and is so again. *lost: why decisions of users may be missing afterwards, or NULL. */
enum err_code copy_restore(
	struct leading *l, bool *restored, const char **lost, struct err *e) must_check;
/* Copies the database to Cloud Storage. */
enum err_code copy_ship(struct leading *l, struct err *e) must_check;

#endif
