#include "reports/send/mail.h"

enum err_code letter_mail(const struct channel *c, const struct letter *l,
	struct letter_mail *out, struct err *e)
{
	if (mail_address_parse(c->from, &out->from, e) ||
		mail_address_parse(l->recipient, &out->to, e))
		return e->code;
	out->draft = (struct mail_draft){
		.id = l->id,
		.refs = l->refs,
		.n_refs = l->n_refs,
		.from = c->from,
		.to = c->to,
		.n_to = c->n_to,
		.subject = l->subject,
		.text = l->body,
		.html = l->html,
		.date = l->created,
		.repeat = l->may_be_repeat,
	};
	return E_OK;
}
