/* Requests of a server: each is answered like a command, by a configuration and a read-only session of its own, within
 * limits of time and rows, because the others wait. One request at a time. */
#ifndef TPUCOST_CLI_REQUEST_H
#define TPUCOST_CLI_REQUEST_H

struct app;

/* `base` has the clock and the path of the configuration. Messages are collected from now on. */
void request_begin(struct app *app, const struct app *base);
/* The messages of the request, a line each. Valid until the next one. */
const char *request_said(void);
void request_end(struct app *app);

#endif
