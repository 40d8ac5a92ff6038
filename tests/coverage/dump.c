/* Only in MODE=cov: a process that ends without exit() writes what it counted, too. The linker puts
 * these in the place of _exit() and kill() (--wrap). A process that somebody else kills loses it. */
#include "base/base.h"

#include <signal.h>
#include <sys/types.h>
#include <unistd.h>

void __gcov_dump(void);
noreturn_fn void __real__exit(int status);
noreturn_fn void __wrap__exit(int status);
int __real_kill(pid_t pid, int sig);
int __wrap_kill(pid_t pid, int sig);

void __wrap__exit(int status)
{
	__gcov_dump();
	__real__exit(status);
}

int __wrap_kill(pid_t pid, int sig)
{
	if (pid == getpid() && (sig == SIGKILL || sig == SIGABRT))
		__gcov_dump();
	return __real_kill(pid, sig);
}
