/* Tools for assistants: the Model Context Protocol on standard input and output. Private to cli/mcp/.
 *
 * A tool is a command that prints JSON: it has no figures, options or errors of its own. */
#ifndef TPUCOST_CLI_MCP_MCP_H
#define TPUCOST_CLI_MCP_MCP_H

#include "base/base.h"

/* Its arguments as text: JSON without escapes. _WITH: after macros in them are replaced. */
#define MCP_JSON(...) #__VA_ARGS__
#define MCP_JSON_WITH(...) MCP_JSON(__VA_ARGS__)

struct app;
struct cJSON;
struct jw;

/* Writes an array of the tools with their schemas. */
void mcp_tools_list(struct jw *w);
/* Adds the members of a tool's result; its errors are results, too. False: there is no such tool. `base` has the clock
 * and the path of the configuration; `args`: an object, or NULL. */
bool mcp_tools_call(
	const struct app *base, const char *name, const struct cJSON *args, struct jw *w);

#endif
