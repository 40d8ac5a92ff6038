/* Error responses: Google's two formats, and those that are not JSON. */
#include "gcp/call.h"

#include "base/str.h"
#include "gcp/internal.h"

#include <stdlib.h>
#include <string.h>

#define MAX_ERROR_BODY (256u << 10)
#define MAX_DELAY 3600

void text_clean(const char *s, char *out, size_t room)
{
	size_t n = 0;

	while (*s) {
		size_t len;
		uint32_t c = utf8_next(s, &len);
		const char *p = s;

		s += len;
		if (c <= 0x20 || (c >= 0x7f && c < 0xa0) || (c == 0xfffd && len == 1)) {
			if (n == 0 || out[n - 1] == ' ')
				continue;
			p = " ";
			len = 1;
		}
		if (n + len >= room)
			break;
		memcpy(out + n, p, len);
		n += len;
	}
	while (n && out[n - 1] == ' ')
		n--;
	out[n] = '\0';
}

bool gcp_reason_is_rate(const char *reason)
{
	static const char *const rate[] = {"rateLimitExceeded", "userRateLimitExceeded",
		"RATE_LIMIT_EXCEEDED", "jobRateLimitExceeded"};

	return str_in(reason, rate, ARRAY_LEN(rate));
}

/* "3.5s" -> 4 */
static int64_t read_delay(const char *s)
{
	size_t digits = strspn(s, "0123456789");
	int64_t seconds = 0;
	bool fraction;

	if (digits == 0 || !str_ends(s, "s"))
		return -1;
	for (size_t i = 0; i < digits && seconds < MAX_DELAY; i++)
		seconds = seconds * 10 + (s[i] - '0');
	fraction = s[digits] == '.';
	return seconds + fraction;
}

static void read_detail(const struct cJSON *detail, struct gcp_refusal *out)
{
	const char *type = json_text(json_get(detail, "@type"), "");
	const char *consumer;

	if (str_ends(type, "google.rpc.ErrorInfo")) {
		text_clean(json_text(json_get(detail, "reason"), ""), out->reason,
			sizeof(out->reason));
		text_clean(json_text(json_path(detail, "metadata", "service", NULL), ""),
			out->service, sizeof(out->service));
		consumer = json_text(json_path(detail, "metadata", "consumer", NULL), "");
		text_clean(str_after_last(consumer, '/'), out->consumer,
			sizeof(out->consumer));
	} else if (str_ends(type, "google.rpc.RetryInfo")) {
		out->retry_after = read_delay(
			json_text(json_get(detail, "retryDelay"), ""));
	}
}

void gcp_refusal_of(const struct cJSON *body, long status, struct gcp_refusal *out)
{
	const struct cJSON *error = json_get(body, "error");
	const char *first;
	int64_t code;

	memset(out, 0, sizeof(*out));
	out->code = (int)status;
	out->retry_after = -1;
	if (json_opt_i64(error, "code", status, &code, NULL) == E_OK && code >= 100 &&
		code <= 599)
		out->code = (int)code;
	text_clean(json_text(json_get(error, "message"), ""), out->message,
		sizeof(out->message));
	JSON_EACH (detail, json_get(error, "details"))
		read_detail(detail, out);
	first = json_text(json_get(json_first(json_get(error, "errors")), "reason"), "");
	if (!out->reason[0])
		text_clean(first, out->reason, sizeof(out->reason));
	if (!out->reason[0])
		text_clean(json_text(json_get(error, "status"), ""), out->reason,
			sizeof(out->reason));
	/* OAuth's format: {"error": "invalid_grant", "error_description": "..."} */
	if (json_is_string(error))
		text_clean(json_text(error, ""), out->message, sizeof(out->message));
}

void gcp_refusal_read(const char *body, size_t len, long status, struct gcp_refusal *out)
{
	cleanup(json_free_ptr) struct cJSON *j = NULL;

	if (len > MAX_ERROR_BODY || json_parse(body, len, &j, NULL) != E_OK)
		j = NULL;
	/* Streamed responses put the error into an array. */
	gcp_refusal_of(json_is_array(j) ? json_first(j) : j, status, out);
}
