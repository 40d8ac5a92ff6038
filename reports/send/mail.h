/* Declarations shared by the two senders of mail. Private to reports/send/. */
#ifndef TPUCOST_REPORTS_SEND_MAIL_H
#define TPUCOST_REPORTS_SEND_MAIL_H

#include "base/url/address.h"
#include "base/net/mail_write.h"
#include "reports/channel.h"

struct letter_mail {
	struct mail_draft draft; /* native line ends */
	struct mail_address from, to;
};

/* Builds the mail for the recipient of the letter. E_CONFIG: an address is invalid. */
enum err_code letter_mail(const struct channel *c, const struct letter *l,
	struct letter_mail *out, struct err *e) must_check;

#endif
