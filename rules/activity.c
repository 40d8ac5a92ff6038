#include "rules/activity.h"

#include <string.h>

struct signal signal_read(const struct signal_points *p, const struct active *x, ts_t now)
{
	static const struct signal nothing = {.says = SAYS_NOTHING};

	if (p->at < now - SIGNAL_FRESH || (x->started != TS_NONE && p->at < x->started))
		return nothing;
	if (p->idle_since == TS_NONE)
		return (struct signal){.says = SAYS_WORK};
	if (!x->hosts || p->workers < x->hosts)
		return nothing;
	if (x->started != TS_NONE && x->started >= p->idle_since)
		return (struct signal){.says = SAYS_IDLE, .since = x->started};
	return (struct signal){
		.says = SAYS_IDLE, .since = p->idle_since, .at_least = p->at_least};
}

struct activity activity_judge(const struct signal v[N_SIGNALS], const struct active *x)
{
	static const char *const bases[2][2][2] = {
		{{"", "tpu"}, {"network", "network,tpu"}},
		{{"cpu", "cpu,tpu"}, {"cpu,network", "cpu,network,tpu"}}};
	struct activity a = {.is = ACTIVITY_UNKNOWN, .idle_since = TS_NONE};
	enum signal_kind needed = x->tpu ? SIGNAL_CHIPS : SIGNAL_CPU;
	bool works = false;

	a.basis = bases[v[SIGNAL_CPU].says != SAYS_NOTHING][v[SIGNAL_SENT].says ||
		v[SIGNAL_RECEIVED].says][v[SIGNAL_CHIPS].says != SAYS_NOTHING];
	for (size_t i = 0; i < N_SIGNALS; i++) {
		works = works || v[i].says == SAYS_WORK;
		if (v[i].says != SAYS_IDLE)
			continue;
		/* The signal whose idleness began last decides whether its beginning is known. */
		if (a.idle_since == TS_NONE || v[i].since > a.idle_since) {
			a.idle_since = v[i].since;
			a.at_least = v[i].at_least;
		} else if (v[i].since == a.idle_since) {
			a.at_least = a.at_least && v[i].at_least;
		}
	}
	if (works)
		a.is = ACTIVITY_WORKS;
	else if (v[needed].says == SAYS_IDLE && !x->gpus)
		a.is = ACTIVITY_IDLE;
	if (a.is != ACTIVITY_IDLE) {
		a.idle_since = TS_NONE;
		a.at_least = false;
	}
	return a;
}
