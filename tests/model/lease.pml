/* A model of the lease that two machines with two databases share, for spin: the object, the copy of the database next to
 * it, a node of the TPU API that people start again, and a person who decides.
 *
 * A write of the object is one step: it is only written with the generation that was read, so it is as if both were done at
 * once. A machine takes any of its steps at any moment, or begins again at any: that is a sleep, or a crash. A write
 * whose answer is lost is one after which it begins again. Time is left to chance, but for one fact: what was sent under a
 * generation of the object has ended when another machine has seen that generation for twice the time of the lease.
 *
 * What must hold:
 *   L1  nothing is stopped without a warning of that start of it that a channel took from the holder of the lease, or
 *       against a hold that a person was told of;
 *   L2  nothing is stopped for one machine while another one holds the lease;
 *   L3  one start is stopped once at most.
 *
 * Taken for granted, as the TPU API does not tell of starts: a node is not stopped and started again before the holder of
 * the lease has seen it stopped, if it has an action, or one is in progress that the copy has. The look at the node and the
 * renewal of the lease are one step here; enforce.pml has the steps between.
 *
 * -DDELETED: the object is deleted once, at any moment after the first copy. Before it, nobody else can know what a person
 * decided.
 * -DNO_FENCE, -DNO_WAIT, -DNOT_LISTED, -DMISSES_DECISION, -DLATE_COPY, -DREADY_AT_ONCE, -DNO_REASON, -DKEEPS_ACTIONS: broken
 * on purpose, for tests/model/run.sh to find. */

#ifndef MOVES
#define MOVES 1 /* starts of the node by people */
#endif
#ifndef TAKES
#define TAKES 2 /* take-overs */
#endif
#ifndef DECISIONS
#define DECISIONS 2 /* a hold, and the end of a block */
#endif
#define other (3 - me)

mtype = { none, warned, intent };

/* ---- the node ---------------------------------------------------------------------------------- */

byte start = 1;
bool running = true, stopping;
byte stops[MOVES + 2];
bool stands[MOVES + 2]; /* a warning of this start may be acted on: L1 */
bool forbidden;         /* by a hold that a person was told of; "enforce resume" ends that */

/* ---- the object -------------------------------------------------------------------------------- */

byte owner;   /* 0: nobody */
byte epoch;   /* 0: there is no object */
byte acting;  /* epoch of the newest holder that was ready */
byte decided; /* newest decision; 0: none */
bool ready, blocked;
bool listed; /* the node was acted on after the newest copy */
byte takes;
#ifdef DELETED
bool deleted;
#endif

/* ---- databases --------------------------------------------------------------------------------- */

typedef database {
	bool used;   /* it has an audit log */
	bool backup; /* it is a backup that no take-over has prepared yet */
	byte known;  /* newest epoch that it acted in */
	byte newest; /* decision */
	byte has;    /* decisions, as bits */
	bool held, barred;
	mtype state /* of the newest action */
};
database db[3]; /* 1, 2: of the machines; 0: the copy */
database snap[3]; /* of a machine, on its way to become the copy */
bool copied;

/* ---- machines ---------------------------------------------------------------------------------- */

bool over[3];              /* it has seen this generation for so long */
bool sending[3], wire[3];  /* a call, in the generation of its renewal */
bool fresh[3];             /* no other copy came since it looked for one */
byte decisions;
bool holding[3], late[3];  /* a person's hold is committed here, and not noted in the object; a stop is in progress */

#define BIT(d) (1 << (d))
#ifdef MISSES_DECISION
#define MISSES(d) false
#else
#define MISSES(d) (d && !(db[me].has & BIT(d)))
#endif
#ifdef NO_REASON
#define WAS_DELETED false
#else
#define WAS_DELETED (i_acting == 0 && db[me].known > 0)
#endif
#define LEADS(i) (owner == i && ready && db[i].known == epoch && !db[i].backup)
#define STILL (wire[1] || wire[2] || sending[1] || sending[2] || stopping || \
	(LEADS(1) && db[1].state != none) || (LEADS(2) && db[2].state != none) || \
	(owner && db[owner].state == intent) || db[0].state == intent)

inline database_copy(to, from)
{
	to.used = from.used;
	to.known = from.known;
	to.newest = from.newest;
	to.has = from.has;
	to.held = from.held;
	to.barred = from.barred;
	to.state = from.state
}
/* The object has a new generation. */
inline written()
{
	over[1] = false;
	over[2] = false
}

active proctype people()
{
	do
	:: atomic { start <= MOVES && !running && !STILL -> start++; running = true }
	od
}

#ifdef NO_WAIT
#define MAY_BE_OVER(i) (owner != i && !over[i])
#else
#define MAY_BE_OVER(i) (owner != i && !over[i] && !sending[1] && !sending[2] && !wire[1] && !wire[2])
#endif
active proctype time()
{
	do
	:: atomic { MAY_BE_OVER(1) -> over[1] = true }
	:: atomic { MAY_BE_OVER(2) -> over[2] = true }
	:: atomic { sending[1] -> sending[1] = false } /* renewed too long ago */
	:: atomic { sending[2] -> sending[2] = false }
	od
}

inline arrive(i)
{
	wire[i] = false;
	if
	:: running && !stopping ->
		assert(stands[start] && !forbidden); /* L1 */
		assert(owner == i || owner == 0); /* L2 */
		stopping = true
	:: else /* another call came first */
	fi
}
active proctype google()
{
	do
	:: atomic { wire[1] -> arrive(1) }
	:: atomic { wire[2] -> arrive(2) }
	:: atomic { wire[1] -> wire[1] = false } /* lost */
	:: atomic { wire[2] -> wire[2] = false }
	:: atomic { stopping ->
		stopping = false;
		running = false;
		stops[start]++;
		assert(stops[start] == 1) /* L3 */
	}
#ifdef DELETED
	:: atomic { epoch && copied && !deleted ->
		deleted = true;
		owner = 0;
		epoch = 0;
		acting = 0;
		decided = 0;
		ready = false;
		blocked = false;
		listed = false;
		written()
	}
#endif
	od
}

/* ---- a person ---------------------------------------------------------------------------------- */

inline decides(i)
{
	decisions++;
	db[i].newest = decisions;
	db[i].has = db[i].has | BIT(decisions);
	db[i].used = true
}
/* What is committed is noted in the object; otherwise the person is told that it holds in that database only. */
inline decision_noted(i)
{
	decided = db[i].newest;
	written()
}
inline holds(i)
{
	if
	:: atomic { decisions == 0 && !db[i].backup -> decides(i); db[i].held = true;
		holding[i] = true; late[i] = (db[i].state == intent) }
	:: atomic { holding[i] && LEADS(i) -> decision_noted(i);
		if
		:: db[i].held && !late[i] -> forbidden = true
		:: else /* it comes too late for what is in progress, or the database was replaced: the command is to be run again */
		fi;
		holding[i] = false;
		late[i] = false
	}
	/* "enforce resume" */
	:: atomic { decisions > 0 && decisions < DECISIONS && db[i].barred && !db[i].backup ->
		decides(i);
		db[i].barred = false;
		db[i].state = none;
		forbidden = false;
		if
		:: LEADS(i) -> decision_noted(i); blocked = false
		:: true /* it was not noted */
		fi
	}
	fi
}
active proctype person()
{
	do
	:: holds(1)
	:: holds(2)
	od
}

/* ---- a machine --------------------------------------------------------------------------------- */

proctype host(byte me)
{
	byte mine; /* the epoch of this cycle; 0: a standby */
	byte i_epoch, i_acting, i_decided;
	bool i_blocked, i_listed, restored, why;

	do
	/* The lease is looked at, renewed, or taken over. */
	:: atomic { owner != me && over[me] && takes < TAKES && (takes > 0 || me == 1) -> /* they are alike */
		takes++;
		owner = me;
		epoch = (epoch > db[me].known -> epoch : db[me].known) + 1;
#ifdef READY_AT_ONCE
		ready = true;
		db[me].known = epoch;
#else
		ready = false;
#endif
		written()
	}
	:: atomic { owner == me && ready && mine != epoch -> mine = epoch }
	:: atomic { owner == me && ready && db[me].newest != decided && !db[me].backup -> decided = (db[me].newest > decided -> db[me].newest : decided); written() }
	:: atomic { owner == me -> written() }

	/* It makes its database ready. */
	:: atomic { owner == me && !ready ->
		i_epoch = epoch;
		i_acting = acting;
		i_blocked = blocked;
		i_decided = decided;
		i_listed = listed;
		restored = false;
		why = false;
		if
		:: copied && (db[0].known > db[me].known || db[me].backup || !db[me].used) ->
			database_copy(db[me], db[0]);
			db[me].backup = true;
			restored = true
		:: else
		fi
	};
		if
		:: atomic {
			if
			:: db[me].known > i_epoch || restored && db[me].known == i_epoch -> i_epoch = db[me].known + 1
			:: else
			fi;
			why = i_blocked || WAS_DELETED || MISSES(i_decided);
			if
			:: db[me].known != i_epoch ->
				if
#ifndef KEEPS_ACTIONS
				:: !restored && db[me].known < i_acting -> db[me].state = none
#endif
#ifndef NOT_LISTED
				:: restored && i_listed -> db[me].state = none
#endif
				:: else
				fi;
				db[me].barred = db[me].barred || why;
				db[me].known = i_epoch;
				db[me].used = true
			:: else
			fi;
			db[me].backup = false
		};
			if
			:: atomic { owner == me && !ready ->
				ready = true;
				epoch = i_epoch;
				acting = i_epoch;
				blocked = why;
				decided = db[me].newest;
				mine = epoch;
				written()
			}
			:: true /* another one has it, or it begins again */
			fi
		:: true
		fi;
		atomic { i_epoch = 0; i_acting = 0; i_decided = 0; i_blocked = false; i_listed = false; restored = false; why = false }

	/* It warns, and stops. */
	:: atomic { mine && running && !stopping && db[me].state == none && !db[me].held && !db[me].barred ->
		db[me].state = warned;
		db[me].used = true;
		if
		:: owner == me && !db[me].backup -> stands[start] = true
		:: else
		fi
	}
	:: atomic { db[me].state == warned && (!running || db[me].held) -> db[me].state = none }
	:: atomic { mine && running && !stopping && db[me].state == warned && !db[me].held && !db[me].barred &&
			!sending[me] && !wire[me] -> db[me].state = intent;
#ifdef NO_FENCE
		sending[me] = true
#endif
	};
#ifndef NO_FENCE
		if
		:: atomic { owner == me && epoch == mine && ready && running && !stopping ->
			if
			:: db[me].newest > decided -> decided = db[me].newest
			:: else
			fi;
			listed = true;
			written();
			sending[me] = true
		}
		:: true
		fi;
#endif
		if
		:: atomic { sending[me] -> sending[me] = false; wire[me] = true }
		:: true
		fi
	/* What became of it. */
	:: atomic { mine && db[me].state == intent && !wire[me] && !sending[me] && !stopping ->
		db[me].state = (running -> warned : none) }

	/* It copies its database. */
	:: atomic { mine && !db[me].barred && !db[me].backup -> database_copy(snap[me], db[me]); fresh[me] = true };
		if
#ifdef LATE_COPY
		:: true
#else
		:: atomic { owner == me && epoch == mine -> written() }
#endif
			if
			:: atomic { fresh[me] ->
				database_copy(db[0], snap[me]);
				copied = true;
				fresh[other] = false;
				fresh[me] = false
			};
				if
				:: atomic { owner == me && epoch == mine -> listed = false; written() }
				:: true
				fi
			:: true
			fi
		:: true
		fi;
		atomic { fresh[me] = false; snap[me].used = false; snap[me].known = 0; snap[me].newest = 0;
			snap[me].has = 0; snap[me].held = false; snap[me].barred = false; snap[me].state = 0 }
	:: atomic { mine && owner != me -> mine = 0 }
	od
}

init {
	atomic {
		db[0].state = none;
		db[1].state = none;
		db[2].state = none;
		run host(1);
		run host(2)
	}
}
