/* A model of enforcement, for spin: those who act under one lease, what they write down, a machine
 * that people stop, start, delete and make anew at any moment, and Google between them.
 *
 * Each proctype life() is one holder of the lease, from taking it to its end. The next one may take
 * it at any moment, and none has to go on: one that is never scheduled again has died there, one
 * that is scheduled late was asleep past its lease. So every crash between any two steps, with a
 * recovery that crashes as well, is among the runs, and so are all takeovers. Whether a lease is
 * over and a grace has passed is left to chance, which is more than time can do.
 *
 * What must hold is in the assertions:
 *   A1  nothing is asked of Google for a start of a machine that no channel took a warning of;
 *   A2  what is asked again before its end is known is asked under the same request id;
 *   A3  one start of a machine is stopped once at most;
 *   A4  nobody but the holder of the newest fence writes;
 *   A5  no other machine, and no other start of it, is stopped than was warned of;
 *   A6  (-DWINDOW) where another one can be met, since Google takes a name, people are told.
 *
 * Taken for granted: without -DWINDOW, that the machine stays what it is between a look (which is
 * good for five seconds) and the arrival of the request; with -DWINDOW it changes in between,
 * but a request has arrived or is lost before the next look (which is a minute later at least).
 *
 * -DTPU: nodes of the TPU API, which takes no request id and does not tell of starts.
 * -DNO_FENCE, -DNO_RECHECK, -DNEW_ID, -DUNWARNED, -DSILENT, -DFORGETS: broken on purpose, for
 * tests/model/run.sh to find. */

#ifndef LIVES
#define LIVES 2
#endif
#ifndef MOVES
#define MOVES 1 /* what people do to the machine */
#endif
#define ACTIONS (MOVES + 1)
#define ATTEMPTS 2

mtype = { none, warning, recheck, intent, sent, verify, unknown, over };
mtype = { nothing, awaited, ok, refused, conflict };
mtype = { unseen, pending, good, bad };

/* ---- the machine ------------------------------------------------------------------------------- */

byte uid = 1;   /* which machine has the name */
byte start = 1; /* its starts, counted over all of that name; each is an episode of its own */
bool running = true;
byte moves;

/* ---- the database ------------------------------------------------------------------------------ */

mtype state = none; /* of the newest action */
byte action;        /* its number */
byte a_uid, a_start;
byte attempt;
bool warned;     /* the outbox has it that a channel took its warning */
byte done_start; /* the start that an action is done with */
byte fence;      /* who has the lease: 1, 2, ... */

/* ---- Google ------------------------------------------------------------------------------------ */

mtype op[ACTIONS * ATTEMPTS + 1] = unseen; /* by request id */
bool op_pending;
byte op_start, op_action; /* what the pending one stops, and for whom */
bool op_other;            /* it is another machine than was meant */

bool wire[LIVES + 1]; /* a request is on its way */
byte wire_id[LIVES + 1], wire_uid[LIVES + 1], wire_start[LIVES + 1], wire_action[LIVES + 1];
mtype answer[LIVES + 1] = nothing;

/* ---- what the assertions need to know ---------------------------------------------------------- */

bool told[MOVES + 2];    /* a channel really took the warning of that start */
byte stops[MOVES + 2];   /* of that start, by us */
bool stray[ACTIONS + 1]; /* a request of that action stopped another machine */
bool looked[LIVES + 1];  /* has a look that is good */
bool sending[LIVES + 1]; /* between its last check and its request */

#define REQUEST ((action - 1) * ATTEMPTS + attempt)
#define IN_FLIGHT (state == intent || state == sent || state == verify || state == unknown)
#if LIVES == 2
#define ANY(x) (x[1] || x[2])
#else
#define ANY(x) (x[1] || x[2] || x[3])
#endif
/* Google does one thing to a machine after the other: while it stops it, nothing else. */
#ifdef WINDOW
#define STILL op_pending
#define MAY_LOOK (!ANY(wire) && !ANY(sending))
#else
#define STILL (op_pending || ANY(wire) || ANY(looked) || ANY(sending))
#define MAY_LOOK true
#endif
#ifdef TPU
#define OTHER_START false
#else
#define OTHER_START (start != a_start)
#endif

active proctype people()
{
	do
	:: atomic { moves < MOVES && !STILL ->
		moves++;
		if
		:: running -> running = false
		:: start++; running = true        /* started, or started again */
		:: start++; uid++; running = true /* deleted, and made anew */
		fi
	}
	od
}

/* A look gets old. Who sleeps between the check and the request does so for good. */
inline passes(i)
{
	if
	:: atomic { looked[i] -> looked[i] = false }
	:: atomic { sending[i] -> sending[i] = false }
	fi
}
active proctype time()
{
	do
	:: passes(1)
	:: passes(2)
#if LIVES > 2
	:: passes(3)
#endif
	od
}

/* ---- Google's side ----------------------------------------------------------------------------- */

inline off_the_wire(i)
{
	wire[i] = false;
	wire_id[i] = 0;
	wire_uid[i] = 0;
	wire_start[i] = 0;
	wire_action[i] = 0
}

inline accept(i)
{
	op_other = (uid != wire_uid[i]);
#if !defined(WINDOW) && !defined(TPU)
	assert(start == wire_start[i]); /* A5 */
#endif
#ifndef WINDOW
	assert(!op_other); /* A5 */
#endif
	op_start = start;
	op_action = wire_action[i];
	op[wire_id[i]] = pending;
	op_pending = true;
	says = ok
}

inline arrive(i)
{
	assert(told[wire_start[i]]); /* A1 */
	if
#ifndef TPU
	:: op[wire_id[i]] != unseen -> says = ok /* the same operation again */
	:: op[wire_id[i]] == unseen && !op_pending && running -> accept(i)
#else
	:: !op_pending && running -> accept(i)
#endif
	:: op_pending -> says = conflict
	:: !op_pending && !running -> op[wire_id[i]] = good; says = ok
	:: !op_pending && running -> says = refused /* too many requests */
	fi;
	if
	:: answer[i] == awaited -> answer[i] = says
	:: else /* nobody waits any more */
	fi;
	says = nothing;
	off_the_wire(i)
}

inline carry(i)
{
	if
	:: atomic { wire[i] -> arrive(i) }
	:: atomic { wire[i] -> off_the_wire(i) } /* lost */
	fi
}

active proctype google()
{
	byte k;
	mtype says = nothing;

	do
	:: carry(1)
	:: carry(2)
#if LIVES > 2
	:: carry(3)
#endif
	:: atomic { op_pending ->
		do
		:: op[k] == pending -> break
		:: else -> k++
		od;
		if
		:: running = false;
			stops[op_start]++;
			assert(stops[op_start] == 1); /* A3 */
			stray[op_action] = op_other;
			op[k] = good
		:: op[k] = bad
		fi;
		k = 0;
		op_start = 0;
		op_action = 0;
		op_other = false;
		op_pending = false
	}
	od
}

/* ---- the cycle before: alerts are followed, channels are told ---------------------------------- */

/* enforce_track(), in the transaction that judges: no lease, and hands off what is in flight. */
inline track()
{
	if
	:: state != none && state != over && !IN_FLIGHT &&
		(a_uid != uid || !running || OTHER_START) ->
		assert(!stray[action]); /* A6: it ends without a word */
		state = over
	:: else
	fi;
	if
	:: (state == none || state == over) && running && action < ACTIONS &&
		done_start != start ->
		action++;
		a_uid = uid;
		a_start = start;
		attempt = 1;
		warned = false;
		state = warning
	:: else
	fi
}

active proctype cycle()
{
	byte about;

	do
	:: atomic { action < ACTIONS || !IN_FLIGHT -> track() }
	:: atomic { state == warning && !warned -> told[a_start] = true; about = action };
		/* it may take long, or die here: then it is told once more */
		atomic {
			if
			:: action == about -> warned = true
			:: else
			fi;
			about = 0
		}
	od
}

/* ---- enforce_run() ----------------------------------------------------------------------------- */

/* Writes are under the newest fence, and to the row as it was read. */
#ifdef NO_FENCE
#define MINE (action == mine && state == was)
#else
#define MINE (action == mine && state == was && fence == me)
#endif
inline wrote()
{
	assert(fence == me) /* A4 */
}
inline put(s)
{
	atomic {
		if
		:: MINE -> wrote(); state = s; was = s
		:: else -> goto lost
		fi
	}
}
inline ends(tells)
{
	atomic {
		if
		:: MINE -> wrote();
			assert(!stray[action] || tells); /* A6 */
			state = over
		:: else -> goto lost
		fi
	}
}
inline look()
{
	atomic {
		MAY_LOOK -> looked[me] = true;
		l_same = (uid == a_uid && !OTHER_START);
		l_running = running
	}
}
/* Another id of the same action is on its way, and Google does not know it yet. */
#define OTHER_ID(i) (wire[i] && wire_action[i] == mine && wire_id[i] != id && \
	op[wire_id[i]] == unseen)

proctype life(byte me)
{
	byte mine, id;
	mtype was = none, heard = nothing;
	bool l_same, l_running;

	fence == me - 1 -> fence = me; /* the one before is too slow, dead, or ready */

next:
	atomic {
		mine = action;
		was = state;
		looked[me] = false;
		heard = nothing;
		id = 0;
		l_same = false;
		l_running = false
	};
	if
#ifdef UNWARNED
	:: was == warning -> put(recheck); goto next
#else
	:: was == warning && warned -> put(recheck); goto next
#endif
	:: was == recheck -> goto act
	:: was == intent || was == unknown -> goto recover
	:: was == sent -> goto ask
	:: was == verify -> goto check
	:: else -> goto lost
	fi;

act:
#ifndef NO_RECHECK
	look();
	if
	:: !l_same || !l_running -> ends(false); goto next
	:: else
	fi;
#endif
	atomic {
		if
		:: MINE -> wrote();
#ifdef NEW_ID
			attempt = (attempt < ATTEMPTS -> attempt + 1 : 1);
#endif
			state = intent;
			was = intent;
			id = REQUEST
		:: else -> goto lost
		fi
	};
	/* Is the look still good, and the lease ours? */
	atomic {
		!wire[me]; /* one at a time */
#ifndef NO_FENCE
		if
		:: fence != me -> goto lost
		:: else
		fi;
#endif
#ifndef NO_RECHECK
		if
		:: !looked[me] -> put(recheck); goto next
		:: else
		fi;
#endif
		wire_id[me] = id;
		wire_uid[me] = a_uid;
		wire_start[me] = a_start;
		wire_action[me] = mine;
		sending[me] = true
	};
	atomic {
		if
		:: !sending[me] -> off_the_wire(me); goto lost
		:: else
		fi;
		sending[me] = false;
		answer[me] = awaited;
#ifndef TPU
		/* A2; one that Google knows already changes nothing. */
		assert(op[id] != unseen || !(OTHER_ID(1) || OTHER_ID(2) || OTHER_ID(LIVES)));
		assert(op[id] != unseen || !op_pending || op_action != mine); /* A2 */
#endif
		wire[me] = true
	};
	if
	:: atomic { answer[me] != awaited -> heard = answer[me]; answer[me] = nothing }
	:: atomic { heard = nothing; answer[me] = nothing } /* none in time */
	fi;
	if
	:: heard == ok -> put(sent)
	:: heard == refused || heard == conflict -> put(recheck)
	:: heard == nothing -> put(unknown)
	fi;
	goto next;

recover: /* perhaps it was sent, perhaps it is done */
	look();
	if
	:: !l_same -> goto differs
	:: l_same && !l_running -> goto done
	:: l_same && l_running -> put(recheck); goto next
	fi;

ask:
	atomic {
		if
		:: op[REQUEST] == good -> heard = ok
		:: op[REQUEST] == bad -> heard = refused
		:: else -> heard = nothing
		fi
	};
	if
	:: heard == ok -> put(verify); goto next
	:: heard == refused ->
		/* Its end is known: the next attempt has a request id of its own. */
		atomic {
			if
			:: MINE -> wrote();
				if
				:: attempt < ATTEMPTS -> attempt++; state = recheck
				:: else -> assert(!stray[action]); state = over
				fi
			:: else -> goto lost
			fi
		};
		goto next
	:: else -> goto lost /* it goes on: for the next run */
	fi;

check:
	look();
	if
	:: !l_same -> goto differs
	:: l_same && !l_running -> goto done
	:: l_same && l_running -> ends(true); goto next /* "may still be running" */
	fi;

done:
	atomic {
		if
		:: MINE -> done_start = a_start
		:: else -> goto lost
		fi
	};
	ends(false);
	goto next;

differs: /* another machine has the name: was it met? */
#ifdef SILENT
	ends(false);
#else
#ifdef FORGETS /* an intent may have been sent, too */
	if
	:: was == intent -> ends(false); goto next
	:: else
	fi;
#endif
	ends(true);
#endif
	goto next;

lost:
	atomic {
		looked[me] = false;
		sending[me] = false;
		mine = 0;
		was = none;
		heard = nothing;
		id = 0;
		l_same = false;
		l_running = false
	}
}

init {
	atomic {
		run life(1);
		run life(2);
#if LIVES > 2
		run life(3)
#endif
	}
}
