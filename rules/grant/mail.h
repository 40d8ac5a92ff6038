/* Grants in the mail of the TPU Research Cloud: which of its lines are grants, how long they
 * last, and for which project. What can be read in two ways is refused with its line; nothing
 * is guessed. The mail names no first and no last day. */
#ifndef TPUCOST_RULES_GRANT_MAIL_H
#define TPUCOST_RULES_GRANT_MAIL_H

#include "rules/grant/grant.h"

struct grant_mail_line {
	struct grant g;     /* zone, type, family, unit, count, chips, provisioning, note */
	int line;           /* of the text, from 1 */
	const char *source; /* the line as it was read, see grant_plain */
	bool again;         /* an earlier line grants the same: they add up */
};

struct grant_mail_remark {
	int line;
	const char *source;
	const char *text; /* what is wrong with it */
};

struct grant_mail {
	struct grant_mail_line *lines;
	size_t n;
	struct grant_mail_remark *refused; /* not empty: the mail cannot be used as it is */
	size_t n_refused;
	struct grant_mail_remark *unread; /* lines that name a TPU type and are no grants */
	size_t n_unread;
	int64_t days;        /* 0: not said */
	const char *project; /* id or number; NULL: not said */
	bool forwarded;      /* the date of the mail is that of passing it on */
};

/* Read the text of a mail. Everything in the arena. */
void grant_mail_read(const char *text, struct arena *a, struct grant_mail *out);
/* Do both say the same, whatever the order? */
bool grant_mail_same(const struct grant_mail *a, const struct grant_mail *b);

#endif
