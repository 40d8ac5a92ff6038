/* Process of one cycle: its signals, and its records to the daemon. */
#include "base/str.h"
#include "cli/daemon/daemon.h"

#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

static int tales = -1;
static volatile sig_atomic_t end_asked;

static void on_end(int sig)
{
	(void)sig;
	end_asked = 1;
}

bool daemon_ending(void)
{
	return end_asked != 0;
}

/* One packet per record, so that records of several processes do not mix. The reader may be gone.
 * */
void daemon_tell(enum tale kind, const char *text)
{
	char packet[1 + DAEMON_TALE_MAX];
	size_t n = strnlen(text, DAEMON_TALE_MAX);

	packet[0] = (char)kind;
	memcpy(packet + 1, text, n);
	if (tales >= 0 && send(tales, packet, n + 1, MSG_NOSIGNAL) < 0)
		return;
}

void daemon_report_to(int fd)
{
	close_fd(&tales);
	tales = fd;
}

void daemon_alive(void)
{
	daemon_tell(TALE_ALIVE, "");
}

static void tell_said(const char *text, bool error)
{
	text += str_starts(text, "tpucost: ") ? strlen("tpucost: ") : 0;
	daemon_tell(error ? TALE_TROUBLE : TALE_WARN, text);
}

void daemon_child(int fd)
{
	struct sigaction end = {.sa_handler = on_end};
	sigset_t none;

	/* Signals of a terminal are for the daemon, which ends all processes that a cycle
	 * started. */
	if (setpgid(0, 0))
		say("tpucost: cannot create a process group");
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	sigaction(SIGTERM, &end, NULL);
	sigaction(SIGINT, &end, NULL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	tales = fd;
	say_to(tell_said);
}
