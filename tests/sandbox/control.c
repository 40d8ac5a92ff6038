/* /_sandbox/: what tests do to the world behind the API's back. */
#include "tests/sandbox/server.h"

#include <string.h>

static void post_world(struct server *s, const struct request *q, struct response *r)
{
	struct err e = {0};
	struct world next;

	if (world_read(q->body, q->body_len, "world", q->now, &next, &e)) {
		respond_error(r, 400, "invalid", e.msg);
		world_free(&next);
		return;
	}
	world_free(&s->world);
	s->world = next;
}

static void post_patch(struct server *s, const struct request *q, struct response *r)
{
	struct err e = {0};

	if (world_patch(q->body, q->body_len, q->now, &s->world, &e))
		respond_error(r, 400, "invalid", e.msg);
}

static void post_faults(struct server *s, const struct request *q, struct response *r)
{
	struct err e = {0};

	if (faults_read(q->body, q->body_len, &s->world, &e))
		respond_error(r, 400, "invalid", e.msg);
}

/* {"advance": 3600} */
static void post_clock(struct server *s, const struct request *q, struct response *r)
{
	const int64_t year = 366 * 86400;
	struct cJSON *body = NULL;
	struct err e = {0};
	int64_t seconds = 0;

	if (json_parse(q->body, q->body_len, &body, &e) ||
		json_get_i64(body, "advance", &seconds, &e) || seconds < 0 ||
		seconds > year)
		respond_error(r, 400, "invalid",
			e.code ? e.msg : "advance: want 0 seconds to a year");
	else
		s->clock += seconds;
	json_free(body);
}

static void get_log(struct server *s, const struct request *q, struct response *r)
{
	(void)q;
	r->type = "application/x-ndjson";
	sbuf_add(&r->body, s->log_text.s, s->log_text.len);
}

bool control(struct server *s, const struct request *q, struct response *r)
{
	static const struct {
		const char *method, *path;
		void (*serve)(
			struct server *s, const struct request *q, struct response *r);
	} all[] = {
		{"POST", "world", post_world},
		{"POST", "world/patch", post_patch},
		{"POST", "faults", post_faults},
		{"POST", "clock", post_clock},
		{"GET", "log", get_log},
	};
	const char *prefix = "/_sandbox/";

	if (strncmp(q->path, prefix, strlen(prefix)) != 0)
		return false;
	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		if (strcmp(q->method, all[i].method) != 0 ||
			strcmp(q->path + strlen(prefix), all[i].path) != 0)
			continue;
		all[i].serve(s, q, r);
		return true;
	}
	respond_error(
		r, 404, "notFound", "POST world, world/patch, faults or clock; GET log");
	return true;
}
