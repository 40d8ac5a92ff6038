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
 *   A6  (-DWINDOW) where another one can be met, since Google takes a name, people are told;
 *   A7  (-DRESTORE) nothing is asked of Google but on a warning that a channel took after the newest
 *       hold that a person was told of, after the newest stop that is noted, and after a copy came back
 *       that does not know of such a hold, such a stop, or something that was asked since.
 *
 * Taken for granted: without -DWINDOW, that the machine stays what it is between a look (which is
 * good for five seconds) and the arrival of the request; with -DWINDOW it changes in between,
 * but a request has arrived or is lost before the next look (which is a minute later at least).
 *
 * -DRESTORE: at any moment the database is copied, and at any later one the copy takes its place, also
 * in the middle of a run, whose writes then go nowhere; not between the last check and the end of
 * what was asked. A
 * person adds a hold, and says "resume" where the database may not act. -DRESTORE -DCOPY: in place of
 * that, another machine gets a copy, with the file beside it, and acts on it. The file beside the database is what it is compared with: `ahead` says that the file has an entry that
 * the copy does not have. Here an
 * action has one attempt, and one holder of the lease comes before the restore and one after it.
 * -DSECOND: the machine was stopped by the first step of the rule; the second one deletes it, unless somebody
 * starts it, which begins the first step again.
 *   A8  nothing is deleted that runs, that no channel took a warning of its deletion of, or twice.
 * -DTPU: nodes of the TPU API, which takes no request id and does not tell of starts.
 * -DNO_FENCE, -DNO_RECHECK, -DNEW_ID, -DUNWARNED, -DSILENT, -DFORGETS, -DNO_GENERATION, -DSENT_FIRST,
 * -DNOT_VOID, -DNO_HOST, -DNO_STATE: broken on purpose, for tests/model/run.sh to find. */

#ifndef LIVES
#define LIVES 2
#endif
#ifndef MOVES
#define MOVES 1 /* what people do to the machine */
#endif
#define ACTIONS (MOVES + 1)
#ifdef RESTORE
#define ATTEMPTS 1
#else
#define ATTEMPTS 2
#endif

mtype = { none, warning, recheck, intent, sent, verify, unknown, over };
mtype = { nothing, awaited, ok, refused, conflict };
mtype = { unseen, pending, good, bad };

/* ---- the machine ------------------------------------------------------------------------------- */

byte uid = 1;   /* which machine has the name */
byte start = 1; /* its starts, counted over all of that name; each is an episode of its own */
#ifdef SECOND
bool running = false;
bool exists = true;
#else
bool running = true;
#define exists true
#endif
byte moves;

/* ---- the database ------------------------------------------------------------------------------ */

mtype state = none; /* of the newest action */
byte action;        /* its number */
byte a_uid, a_start;
byte attempt;
bool warned;     /* the outbox has it that a channel took its warning */
#ifdef SECOND
byte done_start = 1;
bool deletes;     /* the newest action does */
bool ours = true; /* a rule stopped it, and no poll saw it run since */
bool told_deletion[MOVES + 2];
byte deletions[MOVES + 2];
bool wire_deletes[LIVES + 1], op_deletes;
#else
byte done_start; /* the start that an action is done with */
#define deletes false
#endif
/* as the rule matches it now, whatever its `keep_for`, and as it is when all is done */
#define MATCHES (deletes -> (!running && exists) : running)
#define IS_DONE (deletes -> !exists : !running)
byte fence;      /* who has the lease: 1, 2, ... */

/* ---- Google ------------------------------------------------------------------------------------ */

mtype op[ACTIONS * ATTEMPTS + 1] = unseen; /* by request id */
bool op_pending;
byte op_start, op_action; /* what the pending one stops, and for whom */
bool op_other;            /* it is another machine than was meant */

bool wire[LIVES + 1]; /* a request is on its way */
byte wire_id[LIVES + 1], wire_uid[LIVES + 1], wire_start[LIVES + 1], wire_action[LIVES + 1];
mtype answer[LIVES + 1] = nothing;

/* ---- restored and copied databases ------------------------------------------------------------- */

#ifdef RESTORE
bool held;       /* in the database: a hold */
bool barred;     /* it may not act before "resume" */
bool restored;   /* another one is in its place: who opened the first one writes nowhere */
bool since;      /* it has an entry that the copy does not have */
bool ahead;      /* the file beside it has one that the copy does not have */
bool asked;      /* something was asked of Google, and the copy does not have the intent */
bool stands[MOVES + 2]; /* a warning of that start may be acted on: A7 */

/* the copy */
bool copied, k_warned, k_held;
mtype k_state = none;
byte k_action, k_uid, k_start, k_attempt, k_done;

/* that of another machine */
mtype h_state = none;
byte h_uid, h_start;
bool h_barred = true;

#ifdef TPU
#define H_STARTED false
#else
#define H_STARTED (start != h_start)
#endif
#define CHANGED since = (copied && !restored)
#define MAY_ACT (!barred && !held)
#define OURS(then) (restored == then)
#define NEXT_MAY(who) (who == 1 || restored)
/* How far the record goes, noted outside of it. */
inline note()
{
	if
	:: !barred -> ahead = ahead || since; stands[done_start] = false
	:: else
	fi
}
#else
#define CHANGED skip
#define MAY_ACT true
#define OURS(then) true
#define NEXT_MAY(who) true
#endif

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
		:: exists -> start++; running = true /* started, or started again */
		:: start++; uid++; running = true /* deleted, and made anew */
#ifdef SECOND
			;
			exists = true
#endif
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
#ifdef SECOND
	;
	wire_deletes[i] = false
#endif
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
#ifdef SECOND
#ifndef WINDOW
	assert(!wire_deletes[i] || !running); /* A8 */
#endif
	op_deletes = wire_deletes[i];
#endif
	op_start = start;
	op_action = wire_action[i];
	op[wire_id[i]] = pending;
	op_pending = true;
	says = ok
}

#ifdef SECOND
#define EFFECTIVE(i) (wire_deletes[i] -> exists : running)
#else
#define EFFECTIVE(i) running
#endif
inline arrive(i)
{
#ifdef SECOND
	assert(wire_deletes[i] -> told_deletion[wire_start[i]] : told[wire_start[i]]); /* A1, A8 */
#else
	assert(told[wire_start[i]]); /* A1 */
#endif
	if
#ifndef TPU
	:: op[wire_id[i]] != unseen -> says = ok /* the same operation again */
	:: op[wire_id[i]] == unseen && !op_pending && EFFECTIVE(i) -> accept(i)
#else
	:: !op_pending && EFFECTIVE(i) -> accept(i)
#endif
	:: op_pending -> says = conflict
	:: !op_pending && !(EFFECTIVE(i)) -> op[wire_id[i]] = good; says = ok
	:: !op_pending && EFFECTIVE(i) -> says = refused /* too many requests */
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
#ifdef SECOND
			if
			:: op_deletes -> exists = false;
				deletions[op_start]++;
				assert(deletions[op_start] == 1) /* A8 */
			:: else -> stops[op_start]++;
				assert(stops[op_start] == 1) /* A3 */
			fi;
#else
			stops[op_start]++;
			assert(stops[op_start] == 1); /* A3 */
#endif
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
#ifdef SECOND
	ours = ours && !running && exists;
#endif
	if
	:: state != none && state != over && !IN_FLIGHT &&
		(a_uid != uid || !(MATCHES) || OTHER_START || !MAY_ACT) ->
		assert(!stray[action]); /* A6: it ends without a word */
		CHANGED;
		state = over
	:: else
	fi;
	if
	:: (state == none || state == over) && running && action < ACTIONS &&
		done_start != start && MAY_ACT ->
		CHANGED;
		action++;
		a_uid = uid;
		a_start = start;
		attempt = 1;
		warned = false;
#ifdef SECOND
		deletes = false;
#endif
		state = warning
#ifdef SECOND
	:: (state == none || state == over) && ours && action < ACTIONS ->
		action++;
		a_uid = uid;
		a_start = start;
		attempt = 1;
		warned = false;
		deletes = true;
		state = warning
#endif
	:: else
	fi
}

active proctype cycle()
{
	byte about;
	bool then;

	do
	:: atomic { action < ACTIONS || !IN_FLIGHT -> track() }
	:: atomic { state == warning && !warned ->
#ifdef SECOND
			if
			:: deletes -> told_deletion[a_start] = true
			:: else -> told[a_start] = true
			fi;
#else
			told[a_start] = true;
#endif
			about = action
#ifdef RESTORE
			;
			stands[a_start] = true;
			then = restored
#endif
		};
		/* it may take long, or die here: then it is told once more */
		atomic {
			if
			:: action == about && OURS(then) -> CHANGED; warned = true
			:: else
			fi;
			about = 0;
			then = false
		}
	od
}

#ifdef RESTORE
/* A warning is good no more, of whatever start. */
inline spoil()
{
	stands[1] = false;
	stands[2] = false
}

/* What is needed no more makes no difference between states. */
inline forget_copy()
{
	since = false;
	ahead = false;
	asked = false;
	k_state = none;
	k_action = 0;
	k_uid = 0;
	k_start = 0;
	k_attempt = 0;
	k_warned = false;
	k_held = false;
	k_done = 0
}

active proctype operator()
{
	bool late, then;

	do
#ifndef COPY
	/* backup, or by other means; without anything open it has no warnings */
	:: atomic { !copied && (state == recheck || state == intent || state == unknown) ->
			copied = true;
			since = false;
			ahead = false;
			k_state = state;
			k_action = action;
			k_uid = a_uid;
			k_start = a_start;
			k_attempt = attempt;
			k_warned = warned;
			k_held = held;
			k_done = done_start
		}
	:: atomic { copied && !restored && !ANY(sending) && !ANY(wire) && !op_pending ->
			restored = true;
			state = k_state;
			action = k_action;
			a_uid = k_uid;
			a_start = k_start;
			attempt = k_attempt;
			warned = k_warned;
			held = k_held;
			done_start = k_done;
#ifndef NO_GENERATION
			barred = ahead;
#endif
			if
			:: ahead || asked -> spoil()
			:: else
			fi;
			forget_copy()
		}
	:: atomic { barred -> /* "enforce resume" */
			barred = false;
			CHANGED
#ifndef NOT_VOID
			;
			if
			:: state != none -> state = over
			:: else
			fi
#endif
		}
#endif
	:: atomic { !held && !restored -> /* "hold add": committed, ... */
			CHANGED;
			held = true;
			late = IN_FLIGHT;
			then = restored
		};
		atomic { /* ... noted, and the person is told; or killed here */
			if
			:: OURS(then) -> note();
				if
				:: !late -> spoil()
				:: else
				fi
			:: else
			fi;
			late = false;
			then = false
		}
	od
}

#ifdef COPY
/* The directory was copied, file and all. The other machine has its own grace, and its own recovery. */
active proctype other_machine()
{
	atomic { state == warning && warned || state == recheck || state == intent ->
		h_state = state;
		h_uid = a_uid;
		h_start = a_start
#ifdef NO_HOST
		;
		h_barred = false
#endif
	};
	do
	:: atomic { h_barred -> h_barred = false; h_state = over }
	:: atomic { !h_barred && h_state != over && running && uid == h_uid &&
			!H_STARTED ->
			assert(stands[h_start]); /* A7 */
			h_state = over
		}
	od
}
#endif
#endif

/* ---- enforce_run() ----------------------------------------------------------------------------- */

/* Writes are under the newest fence, and to the row as it was read. */
#ifdef NO_FENCE
#define MINE (action == mine && state == was && OURS(then))
#else
#define MINE (action == mine && state == was && fence == me && OURS(then))
#endif
inline wrote()
{
	assert(fence == me); /* A4 */
	CHANGED
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
		l_matches = (MATCHES);
		l_done = (IS_DONE)
	}
}
/* Another id of the same action is on its way, and Google does not know it yet. */
#define OTHER_ID(i) (wire[i] && wire_action[i] == mine && wire_id[i] != id && \
	op[wire_id[i]] == unseen)

proctype life(byte me)
{
	byte mine, id;
	mtype was = none, heard = nothing;
	bool l_same, l_matches, l_done, then;

	fence == me - 1 && NEXT_MAY(me) -> fence = me; /* the one before is too slow, dead, or ready */

next:
	atomic {
		mine = action;
		was = state;
#ifdef RESTORE
		then = restored;
#endif
		looked[me] = false;
		heard = nothing;
		id = 0;
		l_same = false;
		l_matches = false;
		l_done = false
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
#ifdef NO_STATE
	:: !l_same -> ends(false); goto next
#else
	:: !l_same || !l_matches -> ends(false); goto next
#endif
	:: else
	fi;
#endif
	atomic {
		if
		:: MINE && MAY_ACT -> wrote();
#ifdef NEW_ID
			attempt = (attempt < ATTEMPTS -> attempt + 1 : 1);
#endif
			state = intent;
			was = intent;
			id = REQUEST
		:: else -> goto lost
		fi
	};
#if defined(RESTORE) && !defined(SENT_FIRST)
	/* Written down, and then noted: from here on no older copy is taken for this database. */
	atomic {
		if
		:: OURS(then) && !barred -> note()
		:: else -> goto lost
		fi
	};
#endif
	/* Is the look still good, and the lease ours? */
	atomic {
		!wire[me]; /* one at a time */
#ifdef RESTORE
		if
		:: !OURS(then) -> goto lost
		:: else
		fi;
#endif
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
#ifdef RESTORE
		assert(stands[a_start]); /* A7 */
		asked = asked || (copied && !restored && k_state == recheck);
#endif
		wire_id[me] = id;
		wire_uid[me] = a_uid;
		wire_start[me] = a_start;
		wire_action[me] = mine;
#ifdef SECOND
		wire_deletes[me] = deletes;
#endif
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
	:: l_same && l_done -> goto done
	:: l_same && !l_done -> put(recheck); goto next
	fi;

ask:
	atomic {
#ifdef RESTORE
		if
		:: !OURS(then) -> goto lost
		:: else
		fi;
#endif
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
	:: l_same && l_done -> goto done
	:: l_same && !l_done ->
		/* "may still be running": tried again from a live check on */
		atomic {
			if
			:: MINE -> wrote();
				if
				:: attempt < ATTEMPTS -> attempt++; state = recheck
				:: else -> state = over
				fi
			:: else -> goto lost
			fi
		};
		goto next
	fi;

done:
	atomic {
		if
#ifdef SECOND
		:: MINE -> ours = !deletes;
			if
			:: !deletes -> done_start = a_start
			:: else
			fi
#else
		:: MINE -> done_start = a_start
#endif
		:: else -> goto lost
		fi;
		ends(false)
	};
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
#ifdef RESTORE
		if
		:: OURS(then) -> note() /* the end of a run; who died did not come here */
		:: else
		fi;
		then = false;
#endif
		looked[me] = false;
		sending[me] = false;
		mine = 0;
		was = none;
		heard = nothing;
		id = 0;
		l_same = false;
		l_matches = false;
		l_done = false
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
