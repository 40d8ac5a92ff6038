/* Date at which some lines of a mail were sent: docs/adr/0021-date-of-a-grant.md. */
#include "base/net/mail.h"

#include <gmime/gmime.h>
#include <string.h>

/* A longer text is not proven to be free of quotes. */
#define MAX_LINES 2000
#define MAX_LINE 4000
#define MAX_AHEAD 3600 /* seconds: clocks differ */

/* ---- patterns ------------------------------------------------------------------------------ */

/* Labels of a head in the languages of common mail programs. */
/* clang-format off */
#define FROM \
	"from|发件人|發件人|发信人|寄件者|寄件人|差出人|送信者|送信元|보낸 ?사람|보낸이|발신자?|" \
	"от(?: кого)?|отправитель|von|de|exp[eé]diteur|da|mittente|remitente|remetente|van|od|" \
	"nadawca|kimden|från|fra"
#define DATE \
	"date|sent|发送时间|發送時間|发送日期|发件时间|日期|时间|時間|寄件日期|傳送日期|寄送日期|" \
	"送信日時|日時|日付|보낸 ?날짜|보낸 ?시간|날짜|발신일|дата|отправлено|gesendet|datum|" \
	"envoy[eé](?: le)?|inviato(?: il)?|data|fecha|enviad[oa](?: e[lm])?|verzonden|wysłano|" \
	"tarih|gönderildi|skickat|sendt|dato"
#define TO \
	"to|cc|收件人|收件者|抄送|宛先|受信者|받는 ?사람|받는이|수신자?|кому|копия|an|à|a|" \
	"destinataire|destinatari[oa]|para|naar|aan|do|kime|till|til"
#define SUBJECT \
	"subject|主题|主題|主旨|标题|標題|件名|제목|тема|betreff|objet|sujet|oggetto|asunto|" \
	"assunto|onderwerp|temat|konu|ämne|emne"
/* clang-format on */

#define EMPH "[\\s_*`\"]*" /* of markdown */
#define ANYWHERE(label) \
	"(?:^|[\\s|_>;,*`\"]|(?=[^\\x00-\\x7f]))(?:" label ")" EMPH "[:|]|^(?:" label ")$"
#define AT_GOOGLE "@(?:[\\w-]+\\.)*google\\.com(?![\\w.-])"
#define GOOGLE_ADDRESS "[\\w.+-]+" AT_GOOGLE
#define VALUE(label) "^" EMPH "(?:" label ")" EMPH "[:|][\\s|_*`]*(.*?)[\\s|*]*$"

/* ---- the original mail: all that it may say up to the last line of the grant ---------------- */

/* clang-format off */
#define WORDS \
	"a|above|accelerate|access|again|and|applying|appropriate|are|available|avoid|be|charges?|" \
	"cloud|congratulations|create|following|for|free|google|great|has|have|in|interest|is|" \
	"joining|learning|listed|machine|new|news|now|of|only|our|please|program|project|quota|" \
	"research|sure|tensorflow|thanks?|the|this|to|\\(?tf?rc\\)?|tpus?|trial|using|welcome|you|" \
	"your|zones?"
#define CLASS "(?:spot|on[ -]?demand|pre-?emptible)"
#define LINK "<https://(?:[\\w-]+\\.)*google\\.com/[^\\s<>]*>"
#define ITEM \
	"project\\s+(?:[a-z][a-z0-9-]{4,28}[a-z0-9]|\\d{6,20})(?=\\s+(?:" LINK "\\s+)?now\\s+has\\s)" \
	"|\\d{1,4}[\\s-]days?[:.,]?|quota:" \
	"|\\d[\\d,]{0,9}(?: ?[x×])?(?=\\s+" CLASS "\\s)|" CLASS \
	"|v\\d{1,2}[a-z]{0,7}(?:-\\d{1,5})?|(?:device|chip|core)s?(?:\\(s\\))?" \
	"|[a-z]{2,20}-[a-z]{2,20}\\d{1,2}-[a-z0-9]{1,6}[.,;]?|(?:" WORDS ")[.,;!]?"
#define NAME "(?-i:\\p{Lu}[\\p{L}\\p{M}'’.-]{0,20}|\\p{Lo}{1,8})"
#define GREETING \
	"(?:hi|hello|dear|greetings)(?: (?:there|all|everyone|" NAME ")){0,3}[,!]? *\\n+"
/* of the gateway of an organization */
#define CAUTION \
	"\\[?(?:caution|warning|external)\\b[]:]*(?:\\s(?:" \
	"an|and|any|are|attachments?|click|company|content|do|e-?mail|external|from|if|institution|" \
	"is|it|know|links?|mail|message|network|not|of|on|open|or|organi[sz]ation|originated|" \
	"originates|our|outside|recogni[sz]e|safe|sender|that|the|this|university|unless|you|your" \
	")[].,:!]*)* *\\n+"
/* clang-format on */

/* Fields of a mail as it was received, also by a mailing list or a mailbox that redirects it. */
/* clang-format off */
#define FIELD \
	"(?:from|to|cc|bcc|reply-to|subject|date|message-id|mime-version|status|precedence|feedback-id" \
	"|content-(?:type|transfer-encoding|language|disposition|length)" \
	"|received(?:-spf)?|return-path|delivered-to|envelope-to|delivery-date|mailing-list" \
	"|list-(?:id|post|help|archive|owner|subscribe|unsubscribe(?:-post)?)" \
	"|(?:arc-)?authentication-results|arc-(?:seal|message-signature)|(?:x-google-)?dkim-signature" \
	"|x-(?:received|status|uidl|account-key|mozilla-(?:status2?|keys)|virus-(?:scanned|status)" \
	"|gmail-labels|gm-(?:message-state|gg|features|thrid|spam|phishy)|google-(?:smtp-source|id|group-id)" \
	"|notifications(?:-bounce-info)?|original-(?:to|from|sender|authentication-results)" \
	"|forwarded-(?:to|for)|spam-(?:status|level|score|flag|report|checker-version|checked-in-group)" \
	"|(?:forefront|microsoft)-antispam(?:-report|-mailbox-delivery)?|eop(?:tenant)?attributedmessage" \
	"|ms-(?:publictraffictype|traffictypediagnostic|office365-filtering-correlation-id" \
	"|exchange-(?:transport-(?:crosstenantheadersstamped|endtoendlatency)" \
	"|organization-(?:scl|messagedirectionality|expiration(?:starttime|interval)(?:reason)?)" \
	"|crosstenant-(?:id|originalarrivaltime|fromentityheader)" \
	"|(?:organization|crosstenant)-(?:auth(?:as|source)|network-message-id)))))\n"
/* clang-format on */

enum pattern {
	/* in this order: bits of struct scanned.labels */
	LABEL_FROM,
	LABEL_DATE,
	LABEL_TO,
	LABEL_SUBJECT,
	VALUE_FROM,
	VALUE_DATE,
	VALUE_SUBJECT,
	ORIGINAL_TEXT,
	ORIGINAL_SUBJECT,
	OTHER_FIELD,
	GOOGLE,
	RFC5322,
	N_PATTERNS
};

/* clang-format off */
static const char *const patterns[N_PATTERNS] = {
	[LABEL_FROM] = ANYWHERE(FROM),
	[LABEL_DATE] = ANYWHERE(DATE),
	[LABEL_TO] = ANYWHERE(TO),
	[LABEL_SUBJECT] = ANYWHERE(SUBJECT),
	[VALUE_FROM] = VALUE(FROM),
	[VALUE_DATE] = VALUE(DATE),
	[VALUE_SUBJECT] = VALUE(SUBJECT),
	/* Only after a link, a line may begin with a blank. */
	[ORIGINAL_TEXT] =
		"^\\n*(?:" CAUTION ")?(?:" GREETING ")?(?:" LINK " *\\n? ?|(?:" ITEM ")(?: *\\n+| +))*+",
	[ORIGINAL_SUBJECT] =
		"^(?:(?:\\[(?:external|ext)\\]|(?:external|ext):) *)*(?:\\[tf?rc\\] *)?"
		"(?:(?:" WORDS ")[.,!]?(?: +|$))+$",
	[OTHER_FIELD] = "^(?:" FIELD ")*+(.*)",
	/* An address, alone or in <> after a name, which can be an address itself. */
	[GOOGLE] =
		"^\\s*(?:(?:\"(?:[^\"@]|" AT_GOOGLE ")*+\"|(?:[^\"@<>(),:;]|" AT_GOOGLE ")*+)\\s*"
		"<" GOOGLE_ADDRESS ">|" GOOGLE_ADDRESS ")\\s*$",
	/* There was no TRC before 2017. */
	[RFC5322] =
		"^\\s*(?:(mon|tue|wed|thu|fri|sat|sun)\\s*,)?\\s*\\d{1,2}\\s+"
		"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\\s+20(?:1[7-9]|[2-9]\\d)\\s+"
		"\\d\\d:\\d\\d(?::\\d\\d)?\\s+"
		"(?:[+-](?:0\\d|1[0-3])[0-5]\\d|[+-]1400|gmt|utc?)\\s*(?:\\([^()]*\\)\\s*)?$",
};
/* clang-format on */

/* Compiled once, and kept until the program ends. */
static GRegex *pattern(enum pattern p)
{
	static GRegex *compiled[N_PATTERNS];

	if (!compiled[p])
		compiled[p] = g_regex_new(patterns[p], G_REGEX_CASELESS, 0, NULL);
	return compiled[p];
}

static bool matches(enum pattern p, const char *s)
{
	return g_regex_match(pattern(p), s, 0, NULL);
}

/* First group of the match, or NULL. */
static const char *captured(enum pattern p, const char *s, struct arena *a)
{
	GMatchInfo *info = NULL;
	char *got = g_regex_match(pattern(p), s, 0, &info) ? g_match_info_fetch(info, 1)
							   : NULL;
	const char *out = got ? arena_strdup(a, got) : NULL;

	g_free(got);
	g_match_info_free(info);
	return out;
}

/* ---- dates and senders --------------------------------------------------------------------- */

ts_t mail_date_parse(const char *s, struct arena *a)
{
	static const char *const days[] = {
		"", "mon", "tue", "wed", "thu", "fri", "sat", "sun"};
	const char *day = s && g_utf8_validate(s, -1, NULL) ? captured(RFC5322, s, a)
							    : NULL;
	GDateTime *date = day ? g_mime_utils_header_decode_date(s) : NULL;
	ts_t at = date ? g_date_time_to_unix(date) : TS_NONE;

	if (date && *day &&
		g_ascii_strcasecmp(day, days[g_date_time_get_day_of_week(date)]) != 0)
		at = TS_NONE;
	if (date)
		g_date_time_unref(date);
	return at;
}

static bool is_from_google(const char *s)
{
	return g_utf8_validate(s, -1, NULL) && matches(GOOGLE, s);
}

/* ---- lines --------------------------------------------------------------------------------- */

struct scanned {
	const char *s;   /* NFKC, without invisible characters and quote marks */
	int depth;       /* quote marks before it */
	unsigned labels; /* bits of enum pattern */
	bool odd;        /* not plain text */
};

/* Characters that do not change how the line looks; control characters make it odd. */
static char *fold(const char *line, size_t len, struct arena *a, bool *odd)
{
	char *norm = len <= MAX_LINE
		? g_utf8_normalize(line, (gssize)len, G_NORMALIZE_ALL_COMPOSE)
		: NULL; /* also if it is not UTF-8 */
	GString *b = g_string_new(NULL);
	char *out;

	*odd = !norm;
	for (const char *p = norm ? norm : ""; *p; p = g_utf8_next_char(p)) {
		gunichar c = g_utf8_get_char(p);
		GUnicodeType type = g_unichar_type(c);

		if (c == '\t' || type == G_UNICODE_SPACE_SEPARATOR)
			g_string_append_c(b, ' ');
		else if (type == G_UNICODE_CONTROL || type == G_UNICODE_LINE_SEPARATOR ||
			type == G_UNICODE_PARAGRAPH_SEPARATOR)
			*odd = true;
		else if (c == 0x2236 || c == 0xa789) /* look like a colon */
			g_string_append_c(b, ':');
		else if (c >= 0x2010 && c <= 0x2015)
			g_string_append_c(b, '-');
		else if (type != G_UNICODE_FORMAT && !g_unichar_iszerowidth(c))
			g_string_append_unichar(b, c);
	}
	out = arena_strdup(a, g_strchomp(b->str));
	g_string_free(b, TRUE);
	g_free(norm);
	return out;
}

/* With the blank after the last mark; further ones indent the text. A bar is a table cell in HTML. */
static char *skip_marks(char *s, bool html, int *depth)
{
	for (;;) {
		char *mark = s + strspn(s, " ");
		gunichar c = g_utf8_get_char(mark);

		if (c != '>' && c != 0xbb && c != 0x203a &&
			(html || (c != '|' && c != 0x2502)))
			return *depth && *s == ' ' ? s + 1 : s;
		++*depth;
		s = g_utf8_next_char(mark);
	}
}

static struct scanned scan_line(const char *line, size_t len, bool html, struct arena *a)
{
	struct scanned l = {0};
	char *s;

	if (len && line[len - 1] == '\r')
		len--;
	s = skip_marks(fold(line, len, a, &l.odd), html, &l.depth);
	for (size_t n = strlen(s); html && n && strchr(" |", s[n - 1]);)
		s[--n] = '\0'; /* the end of a cell */
	l.s = s;
	for (enum pattern p = LABEL_FROM; p <= LABEL_SUBJECT; p++)
		l.labels |= matches(p, l.s) ? 1U << p : 0;
	return l;
}

struct lines {
	struct scanned *l;
	size_t n;
};

/* Lines `skip` + 1 to `last` of the text (0: all). A text of too many lines ends with an odd one. */
static struct lines scan(const struct mail_text *t, int last, struct arena *a)
{
	struct lines all = {0};
	const char *s = t->text;
	size_t cap = 0;

	for (int line = 1; *s && (!last || line <= last); line++) {
		size_t len = strcspn(s, "\n");
		struct scanned l = {.s = ""};

		if (line > MAX_LINES)
			l.odd = true;
		else if (line > t->head)
			l = scan_line(s, len, t->html, a);
		*arena_append(a, all.l, all.n, cap) = l;
		if (line > MAX_LINES)
			break;
		s += len + (s[len] == '\n');
	}
	return all;
}

/* Index of the first of lines from..n that is not text of the original mail, at this depth of quoting;
 * n: there is none. */
static size_t first_other(struct lines all, size_t from, int depth)
{
	GString *text = g_string_new(NULL);
	GMatchInfo *info = NULL;
	size_t i = from, at = 0;
	int end = 0;

	for (; i < all.n; i++) {
		const struct scanned *l = &all.l[i];

		if (l->odd || (l->depth != depth && (*l->s || !depth)))
			break;
		g_string_append(text, l->s);
		g_string_append_c(text, '\n');
	}
	all.n = i;
	if (g_regex_match(pattern(ORIGINAL_TEXT), text->str, 0, &info))
		g_match_info_fetch_pos(info, 0, NULL, &end);
	for (i = from; i < all.n; i++) {
		at += strlen(all.l[i].s) + 1;
		if (at > (size_t)end)
			break;
	}
	g_match_info_free(info);
	g_string_free(text, TRUE);
	return i;
}

static bool is_original_subject(const char *s, const char *list, struct arena *a)
{
	bool odd = false;
	size_t len;

	s = s ? g_strchug(fold(s, strlen(s), a, &odd)) : "";
	len = strcspn(s, "]");
	if (list && *s == '[' && s[len] &&
		strcasestr(list, arena_printf(a, "<%.*s.", (int)len - 1, s + 1))) {
		s += len + 1; /* the mark of the mailing list */
		s += strspn(s, " ");
	}
	return !odd && matches(ORIGINAL_SUBJECT, s);
}

/* ---- the head of a forwarded mail ---------------------------------------------------------- */

/* The last head before the line: from its first to its last line with a label, without an empty one. */
static bool find_head(struct lines all, size_t before, size_t *start, size_t *end)
{
	*end = before;
	while (*end && !all.l[*end - 1].labels)
		--*end;
	if (!*end)
		return false;
	*start = --*end;
	for (size_t i = *end; i-- > 0 && *all.l[i].s;) {
		if (all.l[i].labels)
			*start = i;
		else if (*start - i > 1) /* a line may continue on the next */
			break;
	}
	return true;
}

/* Value of the only line with this label, or NULL. */
static const char *head_value(struct lines all, size_t start, size_t end,
	enum pattern label, enum pattern value, struct arena *a)
{
	const char *got = NULL;

	for (size_t i = start; i <= end; i++) {
		if (!(all.l[i].labels & (1U << label)))
			continue;
		if (got || all.l[i].labels != 1U << label)
			return NULL;
		got = captured(value, all.l[i].s, a);
		if (!got)
			return NULL;
	}
	return got;
}

/* Date of the forwarded mail whose head is the last before line `first`, and whose text contains all
 * lines from there on. It must be a mail of Google, not itself a reply or forwarded. */
static ts_t inner_date(struct lines all, size_t first, struct arena *a)
{
	const char *from, *date, *subject;
	size_t start, end;

	if (first >= all.n /* too many lines */ || !find_head(all, first, &start, &end) ||
		all.l[end].depth >= MAIL_MAX_MARKS ||
		first_other(all, end + 1, all.l[end].depth) < all.n)
		return TS_NONE;
	for (size_t i = start; i <= end; i++)
		if (all.l[i].odd || (*all.l[i].s && all.l[i].depth != all.l[end].depth))
			return TS_NONE;
	from = head_value(all, start, end, LABEL_FROM, VALUE_FROM, a);
	date = head_value(all, start, end, LABEL_DATE, VALUE_DATE, a);
	subject = head_value(all, start, end, LABEL_SUBJECT, VALUE_SUBJECT, a);
	if (!from || !is_from_google(from) || !is_original_subject(subject, NULL, a))
		return TS_NONE;
	return mail_date_parse(date, a);
}

/* ---- decision ------------------------------------------------------------------------------ */

static struct mail_sent unknown(const char *why)
{
	return (struct mail_sent){.at = TS_NONE, .why = why};
}

static struct mail_sent nested(const struct mail_text *t, struct lines all, size_t first,
	size_t other, ts_t latest, struct arena *a)
{
	ts_t at = inner_date(all, first, a);

	if (at != TS_NONE && at <= latest && (t->date == TS_NONE || at <= t->date))
		return (struct mail_sent){.at = at, .inner = true};
	if (t->html)
		return unknown(arena_printf(a,
			"line %zu of its HTML does not have the text and format of an "
			"original mail of TRC",
			other + 1));
	return unknown(arena_printf(
		a, "line %zu is not text of an original mail of TRC", other + 1));
}

/* The date of the message itself, if its head is that of an original mail. */
static struct mail_sent own(const struct mail_text *t, ts_t latest, struct arena *a)
{
	const char *other = captured(OTHER_FIELD, t->fields, a);

	if (!other || *other)
		return unknown(arena_printf(a,
			"its head has \"%.60s:\", unlike that of an original mail of TRC",
			other ? other : "?"));
	if (!is_original_subject(t->subject, t->list, a))
		return unknown("its \"Subject:\" is not that of an original mail of TRC");
	if (!t->from || !is_from_google(t->from))
		return unknown("it was not sent by Google, according to its \"From:\"");
	if (t->date == TS_NONE)
		return unknown("it has no valid \"Date:\" with a time zone");
	if (t->date > latest)
		return unknown("its \"Date:\" is in the future");
	return (struct mail_sent){.at = t->date};
}

struct mail_sent mail_sent(const struct mail *m, const struct mail_span *spans, size_t i,
	ts_t now, struct arena *a)
{
	const struct mail_text *t = &m->texts[i];
	struct lines all = scan(t, spans[i].last, a);
	ts_t latest = now + MAX_AHEAD;
	size_t other;

	/* earlier parts, and the same text in another format */
	for (size_t k = 0; k < m->n; k++) {
		struct lines part;

		if (m->texts[k].message != t->message || spans[k].last ||
			(k > i && m->texts[k].later))
			continue;
		part = scan(&m->texts[k], 0, a);
		if (first_other(part, 0, 0) < part.n)
			return unknown(
				"another part is not text of an original mail of TRC");
	}
	if (t->later)
		return unknown("it is not in the first text part, or is in a file");
	other = first_other(all, 0, 0);
	return other < all.n ? nested(t, all, (size_t)spans[i].first - 1, other, latest, a)
			     : own(t, latest, a);
}
