/* Errors: a code that callers may test, and a message for users.
 *
 * Every function that can fail takes `struct err *e` as its last argument, returns its code, and
 * does not change its outputs on failure. Library code neither logs nor exits; the caller adds
 * context, outermost first: "collect: source tpu: project p1: HTTP 403: ...". */
#ifndef TPUCOST_BASE_ERR_H
#define TPUCOST_BASE_ERR_H

#include "base/base.h"

enum err_code {
	E_OK = 0,
	E_USAGE,     /* the command line is wrong */
	E_CONFIG,    /* the configuration is wrong */
	E_IO,        /* file system */
	E_NET,       /* no usable answer from the network */
	E_HTTP,      /* an HTTP status without a separate code */
	E_AUTH,      /* credentials missing, invalid or refused (401, invalid_grant) */
	E_DENIED,    /* permission denied (403) */
	E_DISABLED,  /* the API is not enabled in the project (403 SERVICE_DISABLED) */
	E_RATE,      /* rate limited after all retries */
	E_DATA,      /* data from outside is malformed or inconsistent */
	E_DB,        /* database */
	E_BUSY,      /* locked by another process */
	E_NOTFOUND,  /* does not exist (404) */
	E_CONFLICT,  /* exists already, or changed concurrently */
	E_UNCERTAIN, /* a write whose outcome is unknown: re-read before retrying */
	E_LIMIT,     /* a limit of tpucost was reached */
	E_OVERFLOW,  /* arithmetic does not fit */
	E_BUG,       /* a bug in tpucost */
};

struct err {
	enum err_code code;
	char msg[1024]; /* failure and reason (never empty when code is set) */
	char fix[512];  /* hint; empty without useful advice */
};

/* Set code and message; clears `fix`. Texts may be limited ("%.60s"): a split character becomes
 * "?". Returns code, so `return err_set(e, ...)`. `e` may be NULL when the caller needs only the
 * code. */
enum err_code err_set(struct err *e, enum err_code code, const char *fmt, ...)
	printf_like(3, 4);

/* As err_set, unless there is an error already: for functions that continue after an error, and whose
 * results are then discarded. */
void err_first(struct err *e, enum err_code code, const char *fmt, ...) printf_like(3, 4);

/* As err_set, with the hint `fix`. */
enum err_code err_set_fix(struct err *e, enum err_code code, const char *fix,
	const char *fmt, ...) printf_like(4, 5);

/* As err_set, with ": " and strerror(errnum) appended, and the hint err_sys_fix(errnum). */
enum err_code err_sys(struct err *e, enum err_code code, int errnum, const char *fmt, ...)
	printf_like(4, 5);

/* Hint for an error of a file or of an address to listen on: a full or read-only disk, a missing permission, a limit of
 * the process. "": another error. */
const char *err_sys_fix(int errnum);

/* Put "context: " before the message; the code does not change. Returns the code. */
enum err_code err_wrap(struct err *e, const char *fmt, ...) printf_like(2, 3);

/* Add a hint ("run: gcloud ..."). Returns the code. */
enum err_code err_fix(struct err *e, const char *fmt, ...) printf_like(2, 3);

void err_clear(struct err *e);

#endif
