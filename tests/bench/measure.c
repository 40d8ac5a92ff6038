/* measure FILE COMMAND [ARG...]: runs the command and writes "SECONDS CPU KIB" to FILE: wall time
 * on the monotonic clock, processor time of it and its children in seconds, and the most memory
 * that it held at a time. Ends as the command does; 126 and up are its own failures. */
#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int64_t now_micros(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static int64_t micros(struct timeval t)
{
	return (int64_t)t.tv_sec * 1000000 + t.tv_usec;
}

int main(int argc, char **argv)
{
	int64_t start = now_micros(), took, cpu;
	struct rusage use;
	int status;
	pid_t pid;
	FILE *f;

	if (argc < 3) {
		fprintf(stderr, "usage: measure FILE COMMAND [ARG...]\n");
		return 126;
	}
	pid = fork();
	if (!pid) {
		execvp(argv[2], argv + 2);
		perror(argv[2]);
		_exit(127);
	}
	if (pid < 0 || wait4(pid, &status, 0, &use) < 0) {
		perror("measure");
		return 126;
	}
	took = now_micros() - start;
	cpu = micros(use.ru_utime) + micros(use.ru_stime);
	f = fopen(argv[1], "w");
	if (!f ||
		fprintf(f, "%lld.%06lld %lld.%06lld %ld\n", (long long)(took / 1000000),
			(long long)(took % 1000000), (long long)(cpu / 1000000),
			(long long)(cpu % 1000000), use.ru_maxrss) < 0 ||
		fclose(f)) {
		perror(argv[1]);
		return 126;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
