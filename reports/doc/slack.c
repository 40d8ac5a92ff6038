/* Documents as the payload of a Slack incoming webhook: `blocks`, and `text` with the main facts,
 * for notifications and for clients without blocks (Mattermost, Discord's /slack).
 *
 * All limits hold by construction and are counted in bytes, which are never fewer than characters:
 * 50 blocks, 3,000 characters in the text of a section, 150 in a header, 2,000 in an element of a
 * context (docs.slack.dev/reference/block-kit/blocks). The blocks of a message as JSON must stay
 * below about 13,200 (not documented: github.com/slackapi/bolt-js issue 2509), therefore the whole
 * payload is at most 10,000. Slack cuts `text` at 40,000 and splits it at 4,000; Discord refuses
 * more than 2,000. Content that does not fit is omitted by whole rows, and a note reports it. */
#include "base/data/json.h"
#include "base/str.h"
#include "reports/doc/internal.h"
#include "reports/doc/mrkdwn.h"

#include <string.h>

#define PAYLOAD_MAX 10000
#define TEXT_MAX 1900
#define HEADER_MAX 150
#define SECTION_MAX 2900
#define FOOTER_MAX 800
#define SECTIONS_MAX 20 /* 10,000 bytes never need 40 blocks */
#define SECTIONS_LEFT_MAX 60
/* JSON around the text of a section block, and the part after the rows: the end of a fence and the
 * number of omitted rows. */
#define AROUND 100
#define END_MAX 180
#define EMPTY_MAX 200
#define FACT_MAX 200
#define NOTE_MAX 200
#define NOTES_MAX 500
#define LEGEND_MAX 250

struct slack {
	const struct doc *d;
	const struct format_opts *o;
	const struct doc_section *sections[SECTIONS_MAX];
	size_t n;
	size_t left_out; /* sections that are omitted */
	bool marks;      /* a table uses "~" or "*" */
	bool trial;      /* measures the length only */
};

/* Bytes of the text within a JSON string. */
static size_t escaped_len(const char *s)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	sbuf_add_json(&b, s);
	return b.len - 2;
}

static void add_text_object(
	struct jw *w, const char *type, const char *option, bool on, const char *text)
{
	jw_begin(w, '{');
	jw_kstr(w, "type", type);
	jw_kstr(w, "text", text);
	jw_key(w, option);
	jw_bool(w, on);
	jw_end(w, '}');
}

static void add_mrkdwn_block(struct jw *w, const char *text)
{
	jw_begin(w, '{');
	jw_kstr(w, "type", "section");
	jw_key(w, "text");
	add_text_object(w, "mrkdwn", "verbatim", true, text);
	jw_end(w, '}');
}

/* ---- sections ---------------------------------------------------------------------------------- */

/* A section that is packed into blocks until the limit is reached. */
struct pack {
	const struct slack *s;
	const struct doc_section *section;
	struct jw *w;      /* of the blocks; NULL: everything stays in `text` */
	struct sbuf *text; /* of the block being filled */
	size_t room;       /* remaining bytes of JSON */
	size_t left;       /* rows that did not fit, */
	bool empty;        /* all of them */
	bool table;
	struct slack_table columns;
};

static void end_block(struct pack *p)
{
	if (p->w && p->text->len) {
		add_mrkdwn_block(p->w, p->text->s);
		sbuf_reset(p->text);
	}
}

static void add_line(struct pack *p, const char *line)
{
	if (p->text->len)
		sbuf_addc(p->text, '\n');
	sbuf_adds(p->text, line);
}

/* Adds a line or an item if it fits in addition to `reserve`. */
static bool add_piece(struct pack *p, const char *piece, size_t reserve)
{
	size_t need = escaped_len(piece) + 2; /* and a line break */
	bool full = p->text->len + strlen(piece) + END_MAX > SECTION_MAX;

	if (full && (p->table || !p->w)) /* these form one block */
		return false;
	if (full)
		need += AROUND;
	if (need + reserve > p->room)
		return false;
	if (full)
		end_block(p);
	add_line(p, piece);
	p->room -= need;
	return true;
}

/* `before`: the row shown before it, or NULL. */
static size_t say_row(struct pack *p, const struct doc_row *before, const struct doc_row *r,
	struct sbuf *b)
{
	const char *group = doc_group(p->section, before, r);

	sbuf_reset(b);
	if (group && p->table)
		mrkdwn_fenced(b, group);
	else if (group)
		mrkdwn_sentence(b, group, NOTE_MAX);
	sbuf_adds(b, group ? "\n" : "");
	if (p->table)
		slack_table_line(p->s->d, p->section, &p->columns, r, b);
	else if (r->only_line || (!p->w && p->section->whole && r->line))
		slack_line(r, b);
	else
		slack_row(p->s->d, p->section, r, b);
	return escaped_len(b->s) + 2;
}

/* Bytes for the totals, but at most half of the limit: totals matter more than the last rows before
 * them. */
static size_t room_for_totals(struct pack *p, struct sbuf *b)
{
	size_t need = 0;

	for (size_t i = 0; i < p->section->n && need <= p->room / 2; i++)
		if (p->section->rows[i].total && !p->section->rows[i].folded)
			need += say_row(p, NULL, &p->section->rows[i], b);
	return need <= p->room / 2 ? need : 0;
}

static void add_rows(struct pack *p)
{
	struct doc_rows rows = doc_rows(p->section, p->s->o->max_rows);
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	size_t totals = room_for_totals(p, &b), need;
	const struct doc_row *r, *before = NULL;

	while ((r = doc_rows_next(&rows))) {
		/* a later row must not replace an earlier one */
		if (p->left && (!r->total || !totals)) {
			p->left++;
			continue;
		}
		need = say_row(p, before, r, &b);
		if (r->total)
			totals -= need < totals ? need : totals;
		if (add_piece(p, b.s, totals))
			before = r;
		else
			p->left++;
	}
	p->empty = p->left && !before;
}

static void add_more(struct pack *p)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	size_t hidden;

	doc_rows_shown(p->section, p->s->o->max_rows, &hidden);
	if (hidden + p->left && !p->s->trial)
		format_cut(p->s->o, p->section);
	if (hidden + p->left) {
		slack_more(p->s->d, p->section, hidden + p->left, &b);
		add_line(p, b.s);
	}
}

/* Only tables show them as marks. */
static bool has_marks(const struct slack *slack, const struct doc_section *s)
{
	struct slack_table t;

	if (!slack_table(slack->d, s, slack->o->max_rows, &t))
		return false;
	for (size_t i = 0; i < s->n; i++)
		for (int k = 0; k < s->n_columns; k++)
			if (s->rows[i].cells[k].status != STATUS_NONE)
				return true;
	return false;
}

static void add_table(struct pack *p)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	sbuf_adds(&b, "```\n");
	slack_table_line(p->s->d, p->section, &p->columns, NULL, &b);
	p->empty = !add_piece(p, b.s, 0);
	if (!p->empty) {
		add_rows(p);
		add_line(p, "```");
	}
}

/* False if not even its heading and a row fit; the section is then omitted. */
static bool add_section(const struct slack *s, const struct doc_section *section,
	size_t room, struct jw *w, struct sbuf *text)
{
	struct pack p = {.s = s, .section = section, .w = w, .text = text};
	cleanup(sbuf_done) struct sbuf head = SBUF_INIT;
	size_t left;
	bool fits;

	p.room = room > AROUND + END_MAX ? room - AROUND - END_MAX : 0;
	slack_head(s->d, section, &head);
	if (!doc_rows_shown(section, 0, &left) && section->empty) {
		sbuf_addc(&head, '\n');
		mrkdwn_sentence(&head, section->empty, EMPTY_MAX);
	}
	fits = add_piece(&p, head.s, 0);
	if (w && section->n)
		p.table = slack_table(s->d, section, s->o->max_rows, &p.columns);
	if (fits && p.table)
		add_table(&p);
	else if (fits)
		add_rows(&p);
	if (!fits || (p.empty && !s->trial)) {
		sbuf_reset(text);
		if (!s->trial)
			format_cut(s->o, section);
		return false;
	}
	add_more(&p);
	end_block(&p);
	return true;
}

/* The brief sections; all sections if none is brief. The others are counted. */
static void pick_sections(struct slack *s)
{
	bool brief = false;

	for (size_t i = 0; i < s->d->n; i++)
		brief |= s->d->sections[i]->brief && doc_section_shown(s->d->sections[i]);
	for (size_t i = 0; i < s->d->n; i++) {
		const struct doc_section *section = s->d->sections[i];

		if (!doc_section_shown(section))
			continue;
		if (s->n < SECTIONS_MAX && (!brief || section->brief))
			s->sections[s->n++] = section;
		else
			s->left_out++;
	}
}

static size_t size_of(const struct slack *s, const struct doc_section *section, size_t room)
{
	cleanup(sbuf_done) struct sbuf json = SBUF_INIT, text = SBUF_INIT;
	struct jw w = {.b = &json, .comma = true};

	add_section(s, section, room, &w, &text);
	return json.len;
}

/* Each section may use the bytes that the others leave, except an equal share for each later
 * section: a long first section does not displace the others. */
static void add_sections(struct slack *s, size_t room, struct jw *w)
{
	cleanup(sbuf_done) struct sbuf text = SBUF_INIT;
	size_t shares[SECTIONS_MAX], later = 0, share = room / s->n;

	s->trial = true;
	for (size_t i = 0; i < s->n; i++) {
		shares[i] = size_of(s, s->sections[i], share);
		later += shares[i];
	}
	s->trial = false;
	for (size_t i = 0; i < s->n; i++) {
		size_t before = w->b->len;

		later -= shares[i];
		if (!add_section(s, s->sections[i], room - later, w, &text))
			s->left_out++;
		room -= w->b->len - before;
		s->marks |= has_marks(s, s->sections[i]);
	}
}

/* ---- above and below --------------------------------------------------------------------------- */

/* A sentence of at most `max` bytes, even if most of it must be escaped. */
static void add_sentence(struct sbuf *b, const char *s, size_t max)
{
	size_t start = b->len;

	for (size_t n = max; n > 3; n /= 2) {
		mrkdwn_sentence(b, s, n);
		if (b->len - start <= max)
			return;
		sbuf_trunc(b, start);
	}
}

static void add_title(const struct doc *d, struct jw *w, struct sbuf *text)
{
	cleanup(sbuf_done) struct sbuf title = SBUF_INIT, subject = SBUF_INIT;

	doc_subject(d, &subject); /* never empty */
	mrkdwn_sentence(text, subject.s, SIZE_MAX);
	mrkdwn_plain(&title, d->title ? d->title : subject.s, HEADER_MAX);
	jw_begin(w, '{');
	jw_kstr(w, "type", "header");
	jw_key(w, "text");
	add_text_object(w, "plain_text", "emoji", false, title.len ? title.s : "tpucost");
	jw_end(w, '}');
}

static void add_headline(const struct doc *d, size_t max, struct jw *w, struct sbuf *text)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	if (d->headline)
		add_sentence(&b, d->headline, max);
	if (b.len) {
		add_mrkdwn_block(w, b.s);
		sbuf_addf(text, "\n%s", b.s);
	}
}

static void add_fact(
	const struct doc *d, const struct doc_fact *f, bool first, struct sbuf *b)
{
	const struct doc_column col = {.type = f->cell.type, .digits = -1};
	cleanup(sbuf_done) struct sbuf one = SBUF_INIT, said = SBUF_INIT;

	sbuf_addf(&one, "%s: ", f->title);
	doc_cell_text(d, &col, &f->cell, &one);
	add_sentence(&said, one.s, FACT_MAX);
	if (escaped_len(b->s) + escaped_len(said.s) + 2 <= FOOTER_MAX)
		sbuf_addf(b, "%s%s", !b->len ? "" : first ? "\n" : ", ", said.s);
}

/* In full or not at all: half a hash is useless. */
static void add_notes(const struct doc *d, struct sbuf *b)
{
	for (size_t i = 0; i < d->n_brief; i++) {
		cleanup(sbuf_done) struct sbuf said = SBUF_INIT;

		mrkdwn_sentence(&said, d->brief[i], NOTE_MAX);
		if (said.len <= NOTE_MAX &&
			escaped_len(b->s) + escaped_len(said.s) + 2 <= NOTES_MAX)
			sbuf_addf(b, "%s%s", b->len ? "\n" : "", said.s);
	}
}

/* The number of omitted sections, and where they are. */
static void say_left(const struct doc *d, size_t n, struct sbuf *b)
{
	if (n)
		sbuf_addf(b, "+%zu section%s", n, n == 1 ? "" : "s");
	if (!n || str_eq(d->kind, "grant")) /* a letter to others */
		return;
	sbuf_adds(b, ": ");
	slack_command(d, b);
}

/* Notes, facts, the legend of the marks and the omitted parts: one line in small print. */
static void add_footer(const struct slack *s, struct jw *w)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	bool first = true;

	add_notes(s->d, &b);
	for (size_t i = 0; i < s->d->n_facts; i++) {
		if (!s->d->facts[i].title)
			continue;
		add_fact(s->d, &s->d->facts[i], first, &b);
		first = false;
	}
	if (s->marks)
		sbuf_addf(&b, "%s`~` an estimate, `*` billed so far", b.len ? "; " : "");
	if (s->left_out && b.len)
		sbuf_adds(&b, "; ");
	say_left(s->d, s->left_out, &b);
	if (b.len) {
		jw_begin(w, '{');
		jw_kstr(w, "type", "context");
		jw_key(w, "elements");
		jw_begin(w, '[');
		add_text_object(w, "mrkdwn", "verbatim", true, b.s);
		jw_end(w, ']');
		jw_end(w, '}');
	}
}

/* Appends the sections in their order until the text is long enough, and the number of the others. */
static void finish_text(const struct slack *s, size_t max, struct sbuf *text)
{
	size_t left = s->left_out;

	for (size_t i = 0; i < s->n; i++) {
		cleanup(sbuf_done) struct sbuf one = SBUF_INIT;
		size_t used = escaped_len(text->s) + SECTIONS_LEFT_MAX;

		if (used < max && add_section(s, s->sections[i], max - used, NULL, &one))
			sbuf_addf(text, "\n\n%s", one.s);
		else {
			format_cut(s->o, s->sections[i]);
			left++;
		}
	}
	sbuf_adds(text, left ? "\n\n" : "");
	say_left(s->d, left, text);
}

void doc_slack(const struct doc *d, const struct format_opts *o, struct sbuf *b)
{
	size_t max = o->max_bytes && o->max_bytes < PAYLOAD_MAX ? o->max_bytes
								: PAYLOAD_MAX;
	size_t text_max = max / 5 < TEXT_MAX ? max / 5 : TEXT_MAX, used;
	struct slack s = {.d = d, .o = o};
	cleanup(sbuf_done) struct sbuf text = SBUF_INIT, blocks = SBUF_INIT;
	struct jw w = {.b = &blocks}, all = {.b = b};

	pick_sections(&s);
	add_title(d, &w, &text);
	add_headline(d, text_max / 2, &w, &text);
	finish_text(&s, text_max, &text);
	used = escaped_len(text.s) + blocks.len + FOOTER_MAX + LEGEND_MAX + AROUND;
	if (s.n && used < max)
		add_sections(&s, max - used, &w);
	/* without room for any of them, all are omitted */
	for (size_t i = 0; used >= max && i < s.n; i++, s.left_out++)
		format_cut(o, s.sections[i]);
	add_footer(&s, &w);
	jw_begin(&all, '{');
	jw_kstr(&all, "text", text.s);
	jw_key(&all, "blocks");
	jw_begin(&all, '[');
	jw_raw(&all, blocks.s);
	jw_end(&all, ']');
	jw_end(&all, '}');
	sbuf_addc(b, '\n');
}
