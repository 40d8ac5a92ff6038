/* Texts within Slack's mrkdwn, so that they read literally whatever they hold.
 *
 * Slack has no way to escape the characters that format ("*", "_", "~", "`" and their full-width
 * forms); a zero-width space beside them even makes them format inside words. Words that hold
 * them, mentions, emoji codes and links are therefore put into a code span, in which Slack
 * shows everything as it stands; only backticks become U+02CB there, which looks the same.
 * "&", "<" and ">" are entities everywhere, as Slack asks for.
 * Sources: docs.slack.dev/messaging/formatting-message-text ("Escaping text") and the list of
 * what does not work in github.com/yhatt/jsx-slack, docs/about-escape-and-exact-mode.md.
 * Mattermost and Discord read code spans the same way.
 *
 * Controls and invisible characters are made visible first. `max` is in bytes of the text as it
 * would be seen; beyond it "..." stands for the rest. */
#ifndef TPUCOST_REPORTS_DOC_MRKDWN_H
#define TPUCOST_REPORTS_DOC_MRKDWN_H

#include "base/sbuf.h"

/* A sentence: its ordinary words as they are. */
void mrkdwn_sentence(struct sbuf *b, const char *s, size_t max);
/* The same in bold, where nothing in it needs a code span; else all of it as code. */
void mrkdwn_bold(struct sbuf *b, const char *s, size_t max);
/* A code span: what is typed or pasted. */
void mrkdwn_code(struct sbuf *b, const char *s, size_t max);
/* Within a fence of three backticks, which the caller puts. */
void mrkdwn_fenced(struct sbuf *b, const char *s);
/* For a text object that is no mrkdwn (plain_text). `max` is in bytes of what is appended. */
void mrkdwn_plain(struct sbuf *b, const char *s, size_t max);

#endif
