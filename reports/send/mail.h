/* What the two ways to send a mail share. Private to reports/send/. */
#ifndef TPUCOST_REPORTS_SEND_MAIL_H
#define TPUCOST_REPORTS_SEND_MAIL_H

#include "base/url/address.h"
#include "base/net/mail_write.h"
#include "reports/channel.h"

struct letter_mail {
	struct mail_draft draft; /* line ends of this machine */
	struct mail_address from, to;
};

/* The letter as a mail to its recipient. E_CONFIG: an address cannot be used. */
enum err_code letter_mail(const struct channel *c, const struct letter *l,
	struct letter_mail *out, struct err *e) must_check;

#endif
