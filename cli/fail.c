/* How a command says that it failed. */
#include "cli/cmd.h"
#include "cli/say.h"

int cmd_fail(const struct err *e)
{
	say_err("tpucost", e);
	return e->code == E_USAGE || e->code == E_CONFIG ? EXIT_USAGE : EXIT_FAILED;
}
