/* Date at which some lines of a mail were sent: docs/adr/0021-date-of-a-grant.md. */
#include "base/net/mail.h"

#include <gmime/gmime.h>
#include <string.h>

/* A longer text is not proven to be free of quotes. */
#define MAX_LINES 2000
#define MAX_LINE 4000

/* ---- patterns ------------------------------------------------------------------------------ */

/* Labels of a head in the languages of common mail programs. PAIR finds heads in others. */
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

#define ANYWHERE(label) \
	"(?:^|[\\s|_>;,]|(?=[^\\x00-\\x7f]))(?:" label ")[\\s_]*[:|]|^(?:" label ")$"
#define VALUE(label) "^[\\s_]*(?:" label ")[\\s_]*[:|][\\s|_]*(.*?)[\\s|]*$"
#define DASH "-‐-―─━_"

enum pattern {
	/* in this order: bits of struct scanned.labels */
	LABEL_FROM,
	LABEL_DATE,
	LABEL_TO,
	LABEL_SUBJECT,
	VALUE_FROM,
	VALUE_DATE,
	VALUE_SUBJECT,
	REPLY,
	SEPARATOR,
	ATTRIBUTION,
	INITIALS,
	PAIR,
	PAIR_TELLS,
	FOREIGN,
	GOOGLE,
	RFC5322,
	URL,
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
	/* A known prefix, or any other one or two words and a colon at the beginning; "Re[2]:",
	 * "(fwd)", and text that could not be decoded. */
	[REPLY] =
		"(?:^|\\W)(?:re|fwd?|aw|wg|tr|rv|antw|sv|v[sbl]|rif|ri?|i|enc|res|odp|pd|ynt|ilt|"
		"转发|轉發|转寄|轉寄|回复|回覆|回復|答复|答覆|返信|転送|전달|회신|답장|отв|пер)"
		"\\s*(?:[\\[(^]*\\d+[\\])]?)?\\s*:"
		"|^\\W*(?:[\\[【(][^\\]】)]*[\\]】)]\\W*)*(?!trc|tfrc|tpu|ext)"
		"\\w{1,15}(?: \\w{1,15})?\\s*(?:[\\[(^]*\\d+[\\])]?)?\\s*:"
		"|[(\\[]fwd?[)\\]]|=\\?",
	[SEPARATOR] =
		"^[" DASH "]{4,}\\s*[^" DASH "\\s]|^[=~]{4,}\\s*[^=~\\s]"
		"|^[" DASH "]{2,}\\s*[^" DASH "\\s].*[" DASH "]{2,}$"
		"|forwarded (?:message|mail|by)|begin forwarded|original (?:message|mail)"
		"|(?:weitergeleitete|ursprüngliche) nachricht|messaggio (?:inoltrato|originale)"
		"|message (?:transféré|réexpédié|d.origine)|mensaje (?:reenviado|original)"
		"|mensagem (?:encaminhada|original)|转发的?(?:邮件|消息)|轉寄的?(?:郵件|訊息)"
		"|(?:пересылаемое|пересланное|исходное) сообщение|原始(?:邮件|郵件|訊息)"
		"|転送(?:された)?メッセージ|元のメッセージ|(?:전달된|원본) 메(?:시지|일)",
	/* "On Tuesday, Ann wrote:", of lines that end with a colon */
	[ATTRIBUTION] =
		"wrote|schrieb|écrit|ha scritto|escribió|escreveu|schreef|skrev|napisał|написал|"
		"пишет|写道|寫道|書きました|のメール|작성|썼습니다|@|(?<!\\d)20\\d\\d(?!\\d).*\\d:\\d\\d",
	[INITIALS] = "^\\w{1,4}>", /* "AB> text" */
	/* "label: value" in any language; several, one with an address, a year or a time, are a
	 * head */
	[PAIR] = "^[^\\s:|][^:|]{0,29}:(?!//)[\\s|]*[^\\s|]",
	[PAIR_TELLS] = "@|(?<!\\d)20\\d\\d(?!\\d)|\\d:\\d\\d",
	[FOREIGN] = "@(?!(?:[\\w-]+\\.)*google\\.com(?![\\w.-]*\\w))",
	[GOOGLE] = "[\\w.+-]@(?:[\\w-]+\\.)*google\\.com",
	[RFC5322] =
		"^\\s*(?:(mon|tue|wed|thu|fri|sat|sun)\\s*,)?\\s*\\d{1,2}\\s+"
		"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\\s+\\d{4}\\s+"
		"\\d\\d:\\d\\d(?::\\d\\d)?\\s+(?:[+-]\\d{4}|gmt|utc?)\\s*(?:\\([^()]*\\)\\s*)?$",
	[URL] = "https?://[^\\s>)\\]]+",
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

/* Also true if the search takes too long: nothing is then proven. */
static bool matches(enum pattern p, const char *s)
{
	GError *e = NULL;
	bool yes = g_regex_match_full(pattern(p), s, -1, 0, 0, NULL, &e);

	yes = yes || e;
	g_clear_error(&e);
	return yes;
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

ts_t mail_date_parse(const char *s, bool weekday, struct arena *a)
{
	static const char *const days[] = {
		"", "mon", "tue", "wed", "thu", "fri", "sat", "sun"};
	const char *day = s && g_utf8_validate(s, -1, NULL) ? captured(RFC5322, s, a)
							    : NULL;
	GDateTime *date = day ? g_mime_utils_header_decode_date(s) : NULL;
	ts_t at = date ? g_date_time_to_unix(date) : TS_NONE;

	if (date && weekday && *day &&
		g_ascii_strcasecmp(day, days[g_date_time_get_day_of_week(date)]) != 0)
		at = TS_NONE;
	if (date)
		g_date_time_unref(date);
	return at;
}

/* Every address in it is one of Google, and there is one. */
static bool is_from_google(const char *s)
{
	return g_utf8_validate(s, -1, NULL) && matches(GOOGLE, s) && !matches(FOREIGN, s);
}

/* ---- lines --------------------------------------------------------------------------------- */

struct scanned {
	const char *
		s; /* NFKC, without invisible characters, emphasis, quote marks and addresses of pages */
	int depth;       /* quote marks before it */
	unsigned labels; /* bits of enum pattern */
	bool pair, tells;
	bool odd; /* separates mails, introduces a quote, or is not plain text */
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
		else if (type != G_UNICODE_FORMAT && !g_unichar_iszerowidth(c) &&
			c != '*' && c != '`' && c != '"')
			g_string_append_unichar(b, c);
	}
	out = arena_strdup(a, g_strstrip(b->str));
	g_string_free(b, TRUE);
	g_free(norm);
	return out;
}

static const char *without_urls(const char *s, struct arena *a)
{
	char *got = strstr(s, "://")
		? g_regex_replace_literal(pattern(URL), s, -1, 0, "", 0, NULL)
		: NULL;
	const char *out = got ? arena_strdup(a, got) : s;

	g_free(got);
	return out;
}

/* A bar at the beginning is a table cell in HTML, a quote mark in text. */
static const char *skip_marks(const char *s, bool html, int *depth)
{
	for (; *s; s = g_utf8_next_char(s)) {
		gunichar c = g_utf8_get_char(s);

		if (c == '>' || c == 0xbb || c == 0x203a ||
			(!html && (c == '|' || c == 0x2502)))
			++*depth;
		else if (c != ' ' && c != '|')
			break;
	}
	return s;
}

static struct scanned scan_line(const char *line, size_t len, bool html, struct arena *a)
{
	struct scanned l = {0};

	if (len && line[len - 1] == '\r')
		len--;
	l.s = without_urls(skip_marks(fold(line, len, a, &l.odd), html, &l.depth), a);
	for (enum pattern p = LABEL_FROM; p <= LABEL_SUBJECT; p++)
		l.labels |= matches(p, l.s) ? 1U << p : 0;
	l.pair = matches(PAIR, l.s);
	l.tells = l.pair && matches(PAIR_TELLS, l.s);
	l.odd = l.odd || matches(SEPARATOR, l.s) || matches(INITIALS, l.s) ||
		(g_str_has_suffix(l.s, ":") && matches(ATTRIBUTION, l.s));
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

/* Index of the first of lines from..n that is not proven to be text of its own, at this depth of
 * quoting; n: there is none. */
static size_t first_sign(struct lines all, size_t from, int depth)
{
	unsigned labels = 0;
	size_t run = 0;
	bool tells = false;

	for (size_t i = from; i < all.n; i++) {
		const struct scanned *l = &all.l[i];

		if (l->odd || (l->depth != depth && (*l->s || !depth)))
			return i;
		if (!*l->s)
			continue;
		labels |= l->labels;
		run = l->pair ? run + 1 : 0;
		tells = l->pair && (tells || l->tells);
		if (__builtin_popcount(labels) > 1 || (run > 1 && tells))
			return i;
	}
	return all.n;
}

/* ---- the head of a forwarded mail ---------------------------------------------------------- */

/* The last head before the line: from its first to its last line with a label. */
static bool find_head(struct lines all, size_t before, size_t *start, size_t *end)
{
	size_t other = 0;

	*end = before;
	while (*end && !all.l[*end - 1].labels)
		--*end;
	if (!*end)
		return false;
	*start = --*end;
	for (size_t i = *end; i-- > 0 && other < 2 &&
		!all.l[i].odd;) { /* a line may continue on the next */
		if (all.l[i].labels) {
			*start = i;
			other = 0;
		} else if (*all.l[i].s) {
			other++;
		}
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
		first_sign(all, end + 1, all.l[end].depth) < all.n)
		return TS_NONE;
	for (size_t i = start; i <= end; i++)
		if (all.l[i].odd || (*all.l[i].s && all.l[i].depth != all.l[end].depth))
			return TS_NONE;
	from = head_value(all, start, end, LABEL_FROM, VALUE_FROM, a);
	date = head_value(all, start, end, LABEL_DATE, VALUE_DATE, a);
	subject = head_value(all, start, end, LABEL_SUBJECT, VALUE_SUBJECT, a);
	if (!from || !is_from_google(from) || !subject || matches(REPLY, subject))
		return TS_NONE;
	return mail_date_parse(date, true, a);
}

/* ---- decision ------------------------------------------------------------------------------ */

static struct mail_sent unknown(const char *why)
{
	return (struct mail_sent){.at = TS_NONE, .why = why};
}

static struct mail_sent nested(const struct mail_text *t, struct lines all, size_t first,
	size_t sign, struct arena *a)
{
	ts_t at = inner_date(all, first, a);

	if (at != TS_NONE && (t->date == TS_NONE || at <= t->date))
		return (struct mail_sent){.at = at, .inner = true};
	return unknown(arena_printf(a, "it was forwarded or quoted (line %zu)", sign + 1));
}

/* The date of the message itself, unless its head is that of a reply, or of another sender. */
static struct mail_sent own(const struct mail_text *t, struct arena *a)
{
	bool odd = false;

	if (t->subject &&
		(matches(REPLY, fold(t->subject, strlen(t->subject), a, &odd)) || odd))
		return unknown("it was forwarded or is a reply, according to its subject");
	if (t->from && !is_from_google(t->from))
		return unknown("it was not sent by Google, according to its \"From:\"");
	if (t->date == TS_NONE)
		return unknown("it has no \"Date:\" with a time zone");
	return (struct mail_sent){.at = t->date};
}

struct mail_sent mail_sent(
	const struct mail *m, const struct mail_span *spans, size_t i, struct arena *a)
{
	const struct mail_text *t = &m->texts[i];
	struct lines all = scan(t, spans[i].last, a);
	size_t sign;

	for (size_t k = 0; k < i; k++) {
		struct lines before;

		if (m->texts[k].message != t->message || spans[k].last)
			continue;
		before = scan(&m->texts[k], 0, a);
		if (first_sign(before, 0, 0) < before.n)
			return unknown(
				"it was forwarded or quoted, according to an earlier part");
	}
	sign = first_sign(all, 0, 0);
	return sign < all.n ? nested(t, all, (size_t)spans[i].first - 1, sign, a)
			    : own(t, a);
}
