/* Escaping of texts for Slack's mrkdwn, so that any text is shown literally.
 *
 * Slack has no escape for the characters that format ("*", "_", "~", "`" and their full-width
 * forms); a zero-width space next to them even enables formatting inside words. Words that contain
 * them, mentions, emoji codes and links are therefore written as a code span, in which Slack shows
 * everything literally. Only backticks are replaced there, by U+02CB, which looks the same. "&",
 * "<" and ">" are always written as entities, as Slack requires. Sources:
 * docs.slack.dev/messaging/formatting-message-text ("Escaping text") and the list of known problems
 * in github.com/yhatt/jsx-slack, docs/about-escape-and-exact-mode.md. Mattermost and Discord read
 * code spans the same way.
 *
 * Control and invisible characters are made visible first. `max` is in bytes of the visible text;
 * "..." replaces the text beyond it. */
#ifndef TPUCOST_REPORTS_DOC_MRKDWN_H
#define TPUCOST_REPORTS_DOC_MRKDWN_H

#include "base/sbuf.h"

/* A sentence: ordinary words are not changed. */
void mrkdwn_sentence(struct sbuf *b, const char *s, size_t max);
/* The same in bold if no word needs a code span; otherwise all of it as code. */
void mrkdwn_bold(struct sbuf *b, const char *s, size_t max);
/* A code span: text to type or paste. */
void mrkdwn_code(struct sbuf *b, const char *s, size_t max);
/* Text within a fence of three backticks, which the caller writes. */
void mrkdwn_fenced(struct sbuf *b, const char *s);
/* For a text object of type plain_text. `max` is in bytes of the appended text. */
void mrkdwn_plain(struct sbuf *b, const char *s, size_t max);

#endif
