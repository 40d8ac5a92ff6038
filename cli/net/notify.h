/* Telling people: what is shared by `run`, `notify test` and `report --send`. */
#ifndef TPUCOST_CLI_NET_NOTIFY_H
#define TPUCOST_CLI_NET_NOTIFY_H

#include "cli/config/config.h"
#include "reports/kinds.h"

struct app;

static inline struct outbox outbox_of(const struct config *cfg)
{
	return (struct outbox){.channels = cfg->channels,
		.n = cfg->n_channels,
		.settings = &cfg->settings};
}

/* What one channel said to a letter. */
struct told {
	const char *channel, *recipient;
	enum send_class class;
	const char *reply, *error, *fix;
};

struct tellings {
	struct told *v;
	size_t n, cap;
};

/* Send what is due, for at most `max_seconds`. `only`: a message's id, or NULL. `list` gets every
 * attempt (in app->arena); may be NULL. */
enum err_code notify_send(struct app *app, struct db *db, int64_t max_seconds,
	const char *only, struct outbox_sent *out, struct tellings *list,
	struct err *e) must_check;

/* Send what is due on every channel, each in a process of its own: one that hangs keeps nobody
 * waiting but itself. What fails is said on standard error; `failed` (a flag for each channel of
 * the configuration) tells where. app->db is closed meanwhile, and open for writing again
 * afterwards. */
enum err_code notify_send_all(struct app *app, int64_t max_seconds, bool *failed,
	struct outbox_sent *out, struct err *e) must_check;

/* Put the reports that are due into the outbox. */
enum err_code notify_due(struct app *app, struct db *db, struct err *e) must_check;

/* Tell the one who watches tpucost itself that a cycle went well; what fails is said. */
void notify_heartbeat(struct app *app);

#endif
