/* The date from which a grant counts, of the mails in SHAPES and of mails that are nested
 * at random: that at which Google sent it, or none. */
#include "base/fs.h"
#include "base/net/mail.h"
#include "base/str.h"
#include "cli/cmd.h"
#include "cli/net/wire.h"
#include "tests/support/assert.h"
#include "tests/support/tempdir.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

#define SHAPES "tests/mail/grant_mails.txt"
#define SENT "2026-05-05T02:00:00Z" /* by Google, in all mails */
#define NOW INT64_C(1794996000)     /* 2026-11-18T10:00:00Z */

static struct app app;
static struct sbuf said;
static struct tempdir dir;

static int setup(void **state)
{
	static const struct cmd cmd = {.name = "grant import"};

	tempdir_make(&dir);
	app = (struct app){.cmd = &cmd, .o = {.days = -1}, .now = NOW};
	return 0;
}

static int teardown(void **state)
{
	arena_done(&app.arena);
	sbuf_done(&said);
	tempdir_remove(&dir);
	return 0;
}

static void keep(const char *text, bool error)
{
	(void)error;
	sbuf_addf(&said, "%s\n", text);
}

/* The start, or "asks". */
static const char *start_of(const char *path, const char *starts)
{
	struct grant_import x;
	struct err e = {0};
	int rc;

	app.o.starts = starts;
	app.o.days = starts ? 90 : -1;
	sbuf_reset(&said);
	say_to(keep);
	rc = grant_mail_import(&app, path, &x, &e);
	say_to(NULL);
	if (rc != EXIT_FINE && rc != EXIT_NO)
		fail_msg("%s: %s", path, said.s);
	return rc == EXIT_FINE ? x.starts : "asks";
}

static void expect_start(const char *path, const char *starts, const char *want)
{
	const char *got = start_of(path, starts);

	if (strcmp(got, want) != 0)
		fail_msg("%s\n  gave %s: %s\n  want %s", path, got, said.s, want);
}

static void expect_start_of(
	const char *mail, size_t len, const char *want, const char *what)
{
	const char *got = start_of(tempdir_write(&dir, "mail.eml", mail, len, 0600), NULL);

	if (strcmp(got, want) != 0)
		fail_msg("%s\n  gave %s: %s\n  want %s\n%s", what, got, said.s, want, mail);
}

/* ---- the shapes -------------------------------------------------------------------------------- */

/* The same mail with the head of a mail that Google sends: then only its text is different. */
static void with_head_of_google(const char *mail, struct sbuf *out)
{
	bool head = true;

	while (*mail) {
		size_t len = strcspn(mail, "\n");

		head = head && len;
		len += mail[len] == '\n';
		if (head && str_starts(mail, "From: "))
			sbuf_adds(out, "From: trc-support@google.com\n");
		else if (head && str_starts(mail, "Subject: "))
			sbuf_adds(
				out, "Subject: [TRC] You have access to free Cloud TPUs\n");
		else
			sbuf_add(out, mail, len);
		mail += len;
	}
}

static void check_shape(char *row, const char *mail)
{
	cleanup(sbuf_done) struct sbuf other = SBUF_INIT;
	char *name = strsep(&row, "\t"), *want = strsep(&row, "\t"),
	     *shown = strsep(&row, "\t");
	const char *path = tempdir_write(
		&dir, arena_printf(&app.arena, "%s.eml", name), mail, strlen(mail), 0600);

	expect_start(path, NULL, want);
	if (!strcmp(want, "asks"))
		assert_non_null(strstr(said.s, "; give --"));
	expect_start(path, "2026-01-02", "2026-01-02");
	if (strcmp(shown, "text") != 0)
		return;
	with_head_of_google(mail, &other);
	expect_start_of(other.s, other.len, want, name);
}

static void every_shape_gives_the_date_of_google_or_asks(void **state)
{
	static const char between[] = "\n=== ";
	cleanup(sbuf_done) struct sbuf shapes = SBUF_INIT;
	struct err e = {0};
	char *row, *mail, *end;
	int n = 0;

	assert_ok(fs_read(SHAPES, MAIL_MAX_BYTES, &shapes, &e), e);
	row = strstr(shapes.s, between) + strlen(between);
	for (; (end = strstr(row, between)); row = end + strlen(between)) {
		*end = '\0';
		mail = strchr(row, '\n');
		*mail++ = '\0';
		check_shape(row, mail);
		n++;
	}
	assert_int_equal(n, 250);
}

/* ---- nested at random -------------------------------------------------------------------------- */

static uint32_t seed;

static uint32_t below(uint32_t n)
{
	seed = seed * 1664525u + 1013904223u;
	return (seed >> 8) % n;
}

#define ONE_OF(list) ((list)[below((uint32_t)ARRAY_LEN(list))])

static const char grant[] = "Hi Ann,\n\nYour Google Cloud project demo-1234 now has access "
			    "to the following quota "
			    "free of charge for 90 days:\n\n64 spot Cloud TPU v6e chips in "
			    "zone europe-west4-a\n"
			    "5 on-demand Cloud TPU v3-8 device(s) in zone "
			    "europe-west4-a\n\nThis free 90-day trial "
			    "is only for new Cloud TPUs.\n";

/* Puts `before` in front of each line. */
static void indent(struct sbuf *b, const char *before)
{
	cleanup(sbuf_done) struct sbuf out = SBUF_INIT;

	for (const char *s = b->s; *s;) {
		size_t len = strcspn(s, "\n") + 1;

		sbuf_adds(&out, before);
		sbuf_add(&out, s, len);
		s += len;
	}
	sbuf_reset(b);
	sbuf_adds(b, out.s);
}

static void put_before(struct sbuf *b, const struct sbuf *head)
{
	cleanup(sbuf_done) struct sbuf out = SBUF_INIT;

	sbuf_addf(&out, "%s%s", head->s, b->s);
	sbuf_reset(b);
	sbuf_adds(b, out.s);
}

static const char *const separators[] = {"", "", "---------- Forwarded message ---------\n",
	"-----Original Message-----\n", "Begin forwarded message:\n",
	"---------- 转发邮件信息 ----------\n",
	"-------- Пересылаемое сообщение --------\n",
	"-------- Weitergeleitete Nachricht --------\n", "_____\n"};

/* True: it is of Google, with a date that can be read; only that of the inmost mail is. */
static bool add_head(struct sbuf *b, bool inmost)
{
	static const char *const words[][4] = {{"From", "Date", "To", "Subject"},
		{"From", "Sent", "To", "Subject"}, {"发件人", "发送时间", "收件人", "主题"},
		{"寄件者", "寄件日期", "收件者", "主旨"},
		{"Von", "Gesendet", "An", "Betreff"}, {"De", "Envoyé", "À", "Objet"},
		{"Da", "Inviato", "A", "Oggetto"}, {"差出人", "送信日時", "宛先", "件名"},
		{"보낸사람", "보낸 날짜", "받는사람", "제목"},
		{"От", "Дата", "Кому", "Тема"}, {"De", "Enviado el", "Para", "Asunto"},
		{"Kimden", "Tarih", "Kime", "Konu"}, {"Fraa", "Tiid", "Wem", "Wat"}};
	static const char *const colons[] = {
		": ", ":", "：", " : ", ":\xc2\xa0", "\xe2\x80\x8b: ", ":\t"};
	static const char *const emphasis[] = {"", "", "*", "**", "\xe2\x80\x8e"};
	static const char *const vague[] = {"Mon, 3 Aug 2026 at 10:15",
		"2026年5月5日 10:00", "5 May 2026 at 10:00:00 GMT+8",
		"Tuesday, May 5, 2026 10:00 AM", "Wed, 05 May 2026 10:00:00 +0800",
		"Tue, 05 May 2026 10:00:00"};
	cleanup(sbuf_done) struct sbuf head = SBUF_INIT;
	const char *const *w = words[below(ARRAY_LEN(words))];
	const char *colon = ONE_OF(colons), *em = ONE_OF(emphasis);
	bool google = inmost && below(8), exact = below(2), plain = below(4);

	sbuf_adds(&head, ONE_OF(separators));
	sbuf_addf(&head, "%s%s%s%s%s\n", em, w[0], em, colon,
		google ? "TRC <trc-support@google.com>" : "Ann <ann@example.org>");
	sbuf_addf(&head, "%s%s%s%s%s\n", em, w[1], em, colon,
		!exact           ? ONE_OF(vague)
			: inmost ? "Tue, 05 May 2026 10:00:00 +0800"
				 : "Wed, 06 May 2026 10:00:00 +0800");
	if (below(2))
		sbuf_addf(&head, "%s%s%s%sann@example.org\n", em, w[2], em, colon);
	sbuf_addf(&head, "%s%s%s%s%s[TRC] You have access\n\n", em, w[3], em, colon,
		plain ? "" : "Fwd: ");
	put_before(b, &head);
	return google && exact && plain && inmost;
}

/* One more mail around the text. True: the text has a date now. */
static bool nest(struct sbuf *b, bool inmost)
{
	static const char *const intros[] = {"On Tue, Ann wrote:\n",
		"Am 5. Mai 2026 schrieb Ann:\n", "Ann 于2026年5月5日周二 10:00写道：\n",
		"2026年5月5日(火) 10:00 Ann <a@example.org>:\n",
		"Le mar., Ann a écrit :\n"};
	static const char *const marks[] = {"> ", ">", " > ", "\xe2\x80\x8f> ", "＞ "};
	cleanup(sbuf_done) struct sbuf intro = SBUF_INIT;
	bool dated = false;

	switch (below(4)) {
	case 0:
		indent(b, ONE_OF(marks));
		break;
	case 1:
		sbuf_adds(&intro, ONE_OF(intros));
		if (below(2))
			indent(b, "> ");
		put_before(b, &intro);
		break;
	default:
		dated = add_head(b, inmost);
		if (!below(3))
			indent(b, "> ");
	}
	if (below(2)) {
		sbuf_reset(&intro);
		sbuf_adds(&intro, below(2) ? "Look.\n\n" : "\n");
		put_before(b, &intro);
	}
	return dated;
}

static void add_escaped(struct sbuf *b, char c)
{
	if (c == '<' || c == '>')
		sbuf_adds(b, c == '<' ? "&lt;" : "&gt;");
	else
		sbuf_addc(b, c);
}

/* The lines as HTML, quote marks as text or as elements. */
static void as_html(const char *text, struct sbuf *out)
{
	static const char *const quotes[] = {
		"<blockquote>", "<div class=\"gmail_quote\">", "<div id=divRplyFwdMsg>"};
	const char *quote = below(2) ? ONE_OF(quotes) : NULL;
	const char *block = below(2) ? "p" : "div";

	for (const char *s = text; *s; s += strspn(s, "\n") ? 1 : 0) {
		const char *end = quote && *s == '>'
			? str_starts(quote, "<div") ? "</div>" : "</blockquote>"
			: "";

		sbuf_addf(out, "%s<%s>", *end ? quote : "", block);
		for (s += *end != '\0'; *s && *s != '\n'; s++)
			add_escaped(out, *s);
		sbuf_addf(out, "</%s>%s\n", block, end);
	}
}

static void add_part(struct sbuf *b, const char *type, const char *text)
{
	sbuf_addf(b,
		"Content-Type: text/%s; charset=utf-8\nContent-Transfer-Encoding: "
		"8bit\n\n%s",
		type, text);
}

static void add_mail(struct sbuf *b, const char *date, const char *text)
{
	cleanup(sbuf_done) struct sbuf html = SBUF_INIT;

	sbuf_addf(b,
		"From: trc-support@google.com\nSubject: [TRC] You have access\nDate: %s\n"
		"MIME-Version: 1.0\n",
		date);
	as_html(text, &html);
	switch (below(3)) {
	case 0:
		add_part(b, "plain", text);
		break;
	case 1:
		add_part(b, "html", html.s);
		break;
	default:
		sbuf_adds(b, "Content-Type: multipart/alternative; boundary=_b\n\n--_b\n");
		add_part(b, "plain", text);
		sbuf_adds(b, "\n--_b\n");
		add_part(b, "html", html.s);
		sbuf_adds(b, "\n--_b--\n");
	}
}

static void nested_mails_never_get_another_date(void **state)
{
	int dated = 0, asked = 0;

	for (seed = 0; dated + asked < 4000;) {
		cleanup(sbuf_done) struct sbuf text = SBUF_INIT, mail = SBUF_INIT;
		uint32_t depth = 1 + below(4);
		bool has_date;
		const char *got;

		sbuf_adds(&text, grant);
		has_date = nest(&text, true);
		for (uint32_t i = 1; i < depth; i++)
			nest(&text, false);
		add_mail(&mail, "Mon, 03 Aug 2026 09:30:00 +0200", text.s);
		got = start_of(
			tempdir_write(&dir, "mail.eml", mail.s, mail.len, 0600), NULL);
		if (strcmp(got, "asks") != 0 && (!has_date || strcmp(got, SENT) != 0))
			fail_msg("gave %s\n%s", got, mail.s);
		*(strcmp(got, "asks") ? &dated : &asked) += 1;
		arena_reset(&app.arena);
	}
	assert_true(dated > 100 && asked > 2000);
}

/* Without nesting, each of these mails has a date. */
static void mails_that_are_not_nested_need_no_start(void **state)
{
	for (seed = 0; seed < 50; seed++) {
		cleanup(sbuf_done) struct sbuf mail = SBUF_INIT;
		uint32_t was = seed;

		add_mail(&mail, "Tue, 05 May 2026 10:00:00 +0800", grant);
		expect_start_of(mail.s, mail.len, SENT, "not nested");
		seed = was;
	}
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_shape_gives_the_date_of_google_or_asks),
		cmocka_unit_test(nested_mails_never_get_another_date),
		cmocka_unit_test(mails_that_are_not_nested_need_no_start),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
