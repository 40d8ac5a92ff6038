#include "tests/support/world/send_world.h"

#include "base/data/json.h"
#include "base/str.h"
#include "tests/support/assert.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const char *const secrets[] = {"hunter2", "T0AB1CD2E", "B0AB1CD2E", "pa55word"};

void send_url(struct send_world *w, const char *url)
{
	char line[400];

	snprintf(line, sizeof(line), "%s\n", url);
	snprintf(w->url_file, sizeof(w->url_file), "%s",
		tempdir_write(&w->dir, "url", line, strlen(line), 0600));
	w->channel.url_file = w->url_file;
}

void send_open(struct send_world *w, enum channel_kind kind, const struct http_opts *more,
	const struct fault_step *steps, size_t n)
{
	struct http_opts o = more ? *more : (struct http_opts){0};
	struct err e = {0};

	memset(w, 0, sizeof(*w));
	clock_fake_init(&w->clock, SEND_NOW);
	o.clock = &w->clock;
	o.seed = 7;
	o.guard = true;
	assert_ok(http_new(&o, &w->http, &e), e);
	tempdir_make(&w->dir);
	w->server = fault_start(steps, n);
	w->sender = (struct sender){.http = w->http, .clock = &w->clock};
	w->channel = (struct channel){.name = "lab", .kind = kind};
	snprintf(w->url, sizeof(w->url), "%s" SEND_PATH, fault_base(w->server));
	send_url(w, w->url);
	snprintf(w->password_file, sizeof(w->password_file), "%s",
		tempdir_write(&w->dir, "password", "pa55word\n", 9, 0600));
	snprintf(w->path, sizeof(w->path), "%s", tempdir_name(&w->dir, "log.jsonl"));
	w->channel.path = w->path;
	w->letter = (struct letter){.id = SEND_ID,
		.recipient = "",
		.subject = "[tpucost] critical: vm-1 burns",
		.body = "{\"text\":\"hello\"}",
		.created = SEND_NOW - 60};
}

void send_close(struct send_world *w)
{
	json_free(w->posted);
	http_free(w->http);
	fault_stop(w->server);
	tempdir_remove(&w->dir);
}

enum send_class send_now(struct send_world *w)
{
	const struct send_result *r = &w->result;

	memset(&w->result, 'x', sizeof(w->result));
	channel_send(&w->sender, &w->channel, &w->letter, &w->result);
	assert_int_equal(r->err.code == E_OK, r->class == SEND_SENT);
	assert_int_equal(r->err.msg[0] == '\0', r->class == SEND_SENT);
	assert_true(strlen(r->reply) <= SEND_REPLY_MAX);
	assert_true(utf8_valid(r->reply, strlen(r->reply)));
	for (size_t i = 0; i < ARRAY_LEN(secrets); i++)
		if (strstr(r->err.msg, secrets[i]) || strstr(r->err.fix, secrets[i]) ||
			strstr(r->reply, secrets[i]))
			fail_msg("a secret shows: %s / %s / %s", r->err.msg, r->err.fix,
				r->reply);
	return r->class;
}

const char *send_posted_text(struct send_world *w, size_t i)
{
	const char *request = fault_request(w->server, i), *body;

	assert_non_null(request);
	body = strstr(request, "\r\n\r\n");
	assert_non_null(body);
	return body + 4;
}

const struct cJSON *send_posted(struct send_world *w, size_t i)
{
	const char *body = send_posted_text(w, i);
	struct err e = {0};

	json_free(w->posted);
	w->posted = NULL;
	assert_ok(json_parse(body, strlen(body), &w->posted, &e), e);
	return w->posted;
}
