/* Grants in the mail of the TPU Research Cloud: the lines that are grants, their length, and their
 * project. Ambiguous text is refused with its line; nothing is guessed. The mail contains neither
 * the first nor the last day. */
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
	const char *text; /* the problem */
};

struct grant_mail_remarks {
	struct grant_mail_remark *v;
	size_t n, cap;
};

struct grant_mail {
	struct {
		struct grant_mail_line *v;
		size_t n, cap;
	} lines;
	struct grant_mail_remarks refused; /* not empty: the mail cannot be used */
	struct grant_mail_remarks unread;  /* name a TPU type, but are not grants */
	int64_t days;                      /* 0: not given */
	const char *project;               /* id or number; NULL: not given */
	int first, last; /* lines between which all of this is; 0: nothing was read */
};

/* Read the text of a mail. All results are allocated from the arena. */
void grant_mail_read(const char *text, struct arena *a, struct grant_mail *out);
/* Do both contain the same, in any order? */
bool grant_mail_same(const struct grant_mail *a, const struct grant_mail *b);

#endif
