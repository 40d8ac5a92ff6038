/* Lists of machines and of TPUs whose content is wrong: what was known is kept through the fault,
 * and heals after it. The oracle is the database and the number of requests. */
#include "tests/support/world/list_world.h"
#include "tests/support/unit.h"

#define NOW WORLD_NOW /* 2026-11-21T05:00:00Z */

/* ---- B1 to B4, B8, B11: one item among good ones ------------------------------------------------ */

#define ID "'7'"
static const struct list_item bad_items[] = {
	{"B1 a Latin-1 byte", ID, "caf\xe9", "", "invalid UTF-8"},
	{"B1 a slash in two bytes", ID, "a\xc0\xaf", "", "invalid UTF-8"},
	{"B1 a surrogate in three", ID, "a\xed\xa0\x80", "", "invalid UTF-8"},
	{"B1 a character that is cut", ID, "a\xf0\x9f\x92", "", "invalid UTF-8"},
	{"B1 half of an escaped pair", ID, "a\\ud83d", "", "half of a surrogate pair"},
	{"B1 good UTF-8 that is no name", ID, "caf\xc3\xa9", "", "field 'name': not "},
	{"B1 in a label", ID, "a", ",'labels':{'x':'\xff'}", "invalid UTF-8"},
	{"B2 a NUL in a name", ID, "kept\\u0000b", "", "\\u0000 is not allowed"},
	{"B2 a NUL in an id", "'11\\u00002'", "a", "", "\\u0000 is not allowed"},
	{"B2 a NUL in a label", ID, "a", ",'labels':{'a\\u0000':'1'}", "\\u0000 is not"},
	{"B2 a line end", ID, "a\nb", "", "control character in a string"},
	{"B2 an escaped line end", ID, "a\\nb", "", "field 'name': not "},
	{"B2 a path", ID, "../kept", "", "field 'name': not "},
	{"B3 an id twice", ID, "a", ",'id':'8'", "key 'id' twice in one object"},
	{"B3 in another spelling", ID, "a", ",'\\u0069d':'8'", "key 'id' twice"},
	{"B3 a label twice", ID, "a", ",'labels':{'x':'1','x':'2'}", "key 'x' twice"},
	{"B8 2^53 + 1 as a number", "9007199254740993", "a", "", "not an exact number"},
	{"B8 2^63 - 1 as a number", "9223372036854775807", "a", "", "not an exact number"},
	{"B8 a fraction", "7.5", "a", "", "not an exact number"},
	{"B8 a negative id", "-7", "a", "", "not an exact number"},
	{"B8 a negative id as text", "'-7'", "a", "", "field 'id': not a number"},
	{"B8 an empty id", "''", "a", "", "field 'id': not a number"},
	{"B8 an id of 21 digits", "'184467440737095516150'", "a", "", "not a number"},
	{"B8 an infinite id", "1e999", "a", "", "number is out of range"},
	{"B11 an id that is a list", "['7']", "a", "", "field 'id': not an exact"},
	{"B11 an id that is true", "true", "a", "", "field 'id': not an exact"},
	{"B11 labels as a list", ID, "a", ",'labels':[]", "field 'labels': not an obj"},
	{"B11 labels as text", ID, "a", ",'labels':'x=1'", "field 'labels': not an obj"},
	{"B11 a label that is a number", ID, "a", ",'labels':{'x':1}",
		"a value is not a string"},
	{"B11 a label that is null", ID, "a", ",'labels':{'x':null}",
		"a value is not a string"},
};

static void an_item_that_reads_wrong_spoils_its_list_and_nothing_else(void **state)
{
	for (size_t i = 0; i < ARRAY_LEN(bad_items); i++)
		for (int k = 0; k < LISTS; k++) {
			lw.row = bad_items[i].name;
			list_expect_refused(
				k, list_page(&lists[k], &bad_items[i]), bad_items[i].why);
		}
}

/* ---- B3, B4, B6, B11: whole answers --------------------------------------------------------------- */

/* What comes instead of a list: of both kinds where there is one text. */
struct answer {
	const char *name;
	const char *body[LISTS];
	const char *why[LISTS];
};

#define BOTH(text)         \
	{                  \
		text, text \
	}
static const struct answer bad_answers[] = {
	{"B3 the list twice", {"{'items':{},'items':{}}", "{'nodes':[],'nodes':[]}"},
		{"key 'items' twice", "key 'nodes' twice"}},
	{"B4 a name in capitals",
		{VMS("{'id':'7','NAME':'a','status':'RUNNING'}"),
			NODES("{'id':'7','NAME':'" PATH "a','state':'READY'}")},
		BOTH("field 'name': missing or empty")},
	{"B6 text behind it", {VMS(KEPT_VM) "x", NODES(KEPT_NODE) "x"},
		BOTH("more text after the document")},
	{"B6 a second document", {VMS(KEPT_VM) VMS(""), NODES(KEPT_NODE) NODES("")},
		BOTH("more text after the document")},
	{"B6 a byte order mark",
		{"\xef\xbb\xbf" VMS(KEPT_VM), "\xef\xbb\xbf" NODES(KEPT_NODE)},
		BOTH("a byte order mark is not allowed")},
	{"B6 a comma too many", {VMS(KEPT_VM ","), NODES(KEPT_NODE ",")},
		BOTH("expected a value")},
	{"B6 nothing", BOTH(""), BOTH("the response is empty")},
	{"B6 blanks", BOTH(" \r\n\t"), BOTH("the text is empty")},
	{"B6 a cut list",
		{"{'items':{'zones/" ZONE "':{'instances':[" KEPT_VM,
			"{'nodes':[" KEPT_NODE},
		BOTH("the text ends too early")},
	{"B6 null", BOTH("null"), BOTH("the response is not a JSON object")},
	{"B6 a list alone", BOTH("[]"), BOTH("the response is not a JSON object")},
	{"B6 text", BOTH("'items'"), BOTH("the response is not a JSON object")},
	{"B6 NaN", {"{'items':NaN}", "{'nodes':NaN}"}, BOTH("expected a value")},
	{"B11 items as a list", {"{'items':[]}", "{'nodes':{}}"},
		{"'items' or 'unreachables' is malformed", "field 'nodes': not an array"}},
	{"B11 a scope as text", {"{'items':{'zones/" ZONE "':'x'}}", "{'nodes':['x']}"},
		{"scope 'zones/" ZONE "': malformed", "an item is not an object"}},
	{"B11 machines as an object",
		{"{'items':{'zones/" ZONE "':{'instances':{}}}}", "{'nodes':[[]]}"},
		{"malformed", "an item is not an object"}},
	{"B11 an item that is null", {VMS(KEPT_VM ",null"), NODES(KEPT_NODE ",null")},
		BOTH("an item is not an object")},
	{"B11 an item that is empty", {VMS("{}"), NODES("{}")},
		{"field 'id': missing", "field 'name': missing"}},
	{"B11 a scope that is a path",
		{"{'items':{'zones/../x':{}}}",
			NODES("{'name':'projects/p/locations/../nodes/a'}")},
		{"scope 'zones/../x'", "field 'name': not projects"}},
	{"B11 no state",
		{VMS("{'id':'7','name':'a'}"), NODES("{'name':'" PATH "a','state':5}")},
		{"'a': field 'status': missing", "field 'state': not a string"}},
	{"B11 a state that is an object",
		{VMS("{'id':'7','name':'a','status':{}}"),
			NODES("{'name':'" PATH "a','state':{}}")},
		BOTH("not a string")},
	{"B11 a time that is a number",
		{VMS("{'id':'7','name':'a','status':'S','creationTimestamp':1}"),
			NODES("{'name':'" PATH "a','createTime':1}")},
		{"field 'creationTimestamp': not a string",
			"field 'createTime': not a string"}},
	{"B11 parts as something else",
		{VMS("{'id':'7','name':'a','status':'S','disks':{}}"),
			NODES("{'name':'" PATH "a','networkEndpoints':5}")},
		{"field 'disks': not an array", "field 'networkEndpoints': not an array"}},
	{"B11 a part that is text",
		{VMS("{'id':'7','name':'a','status':'S','guestAccelerators':['x']}"),
			NODES("{'name':'" PATH "a','dataDisks':['x']}")},
		{"guestAccelerators[0]", "dataDisks"}},
	{"B11 scheduling as text",
		{VMS("{'id':'7','name':'a','status':'S','scheduling':'SPOT'}"),
			NODES("{'name':'" PATH "a','schedulingConfig':'spot'}")},
		{"field 'scheduling': not an object",
			"field 'schedulingConfig': not an object"}},
	{"B11 a yes that is text",
		{VMS("{'id':'7','name':'a','status':'S','scheduling':{'preemptible':"
		     "'true'}}"),
			NODES("{'name':'" PATH "a','schedulingConfig':{'spot':'true'}}")},
		BOTH("neither true nor false")},
	/* Read as the last page, what is on the others would seem to be gone. */
	{"B11 a page token that is a number",
		{"{'items':{},'nextPageToken':5}", "{'nextPageToken':5}"},
		BOTH("page 1: its page token is not a string")},
	{"B11 a page token that is an object",
		{"{'items':{},'nextPageToken':{}}", "{'nextPageToken':{}}"},
		BOTH("page 1: its page token is not a string")},
	{"B11 a location that is a number",
		{"{'items':{},'unreachables':[5]}", "{'unreachable':['us-a',5]}"},
		BOTH("an unreachable location is not a string")},
};

static void an_answer_that_is_no_list_is_not_an_empty_one(void **state)
{
	for (size_t i = 0; i < ARRAY_LEN(bad_answers); i++)
		for (int k = 0; k < LISTS; k++) {
			lw.row = bad_answers[i].name;
			list_expect_refused(
				k, bad_answers[i].body[k], bad_answers[i].why[k]);
		}
}

/* ---- B4, B8, B12, B15: odd, and yet right ----------------------------------------------------------- */

/* What is kept of a second item, beside the one that was known. */
struct odd {
	const char *name;
	struct list_item it;
	const char *sql, *want;
};

#define OTHER " FROM resource WHERE name = 'b'"
static const struct odd odd_items[] = {
	{"B4 an id in another case is another member",
		{NULL, "'7'", "b", ",'ID':'8'", NULL}, "SELECT uid" OTHER, "7"},
	{"B4 so are labels", {NULL, "'7'", "b", ",'Labels':{'owner':'eve'}", NULL},
		"SELECT labels || COALESCE(owner, '-')" OTHER, "{}-"},
	{"B8 2^63 - 1", {NULL, "'9223372036854775807'", "b", "", NULL}, "SELECT uid" OTHER,
		"9223372036854775807"},
	{"B8 2^64 - 1", {NULL, "'18446744073709551615'", "b", "", NULL}, "SELECT uid" OTHER,
		"18446744073709551615"},
	{"B8 2^53 + 1", {NULL, "'9007199254740993'", "b", "", NULL}, "SELECT uid" OTHER,
		"9007199254740993"},
	{"B8 2^53 - 1 as a number", {NULL, "9007199254740991", "b", "", NULL},
		"SELECT uid" OTHER, "9007199254740991"},
	{"B15 no labels", {NULL, "'7'", "b", "", NULL}, "SELECT labels" OTHER, "{}"},
	{"B15 empty labels", {NULL, "'7'", "b", ",'labels':{}", NULL},
		"SELECT labels" OTHER, "{}"},
	{"B15 labels that are null", {NULL, "'7'", "b", ",'labels':null", NULL},
		"SELECT labels" OTHER, "{}"},
	{"B15 a label without value",
		{NULL, "'7'", "b", ",'labels':{'tpucost-keep':''}", NULL},
		"SELECT labels" OTHER, "{\"tpucost-keep\":\"\"}"},
	{"B11 a member nobody knows", {NULL, "'7'", "b", ",'new':[{'x':[1,null]}]", NULL},
		"SELECT uid" OTHER, "7"},
};

static void what_is_odd_and_right_is_kept_to_the_digit(void **state)
{
	for (size_t i = 0; i < ARRAY_LEN(odd_items); i++)
		for (int k = 0; k < LISTS; k++) {
			const struct list *l = &lists[k];
			const char *body = list_page(l, &odd_items[i].it);

			lw.row = odd_items[i].name;
			list_begin(l, (const char *const[]){l->good, body}, 2);
			list_good(l);
			if (list_poll(l, NOW + 60).r.ok != 1)
				fail_msg("%s: %s: refused", lw.row, l->source);
			list_expect("SELECT COUNT(*) FROM resource WHERE last_seen = "
				    "1795237260",
				"2");
			list_expect(odd_items[i].sql, odd_items[i].want);
			list_finish();
		}
}

/* B15: labels that were not read are those from before, and known not to be sure. */
static void labels_of_a_failed_poll_are_those_from_before(void **state)
{
	for (int k = 0; k < LISTS; k++) {
		const struct list *l = &lists[k];

		lw.row = l->source;
		list_begin(l,
			(const char *const[]){l->good, "{'error':{'code':500}}", l->good},
			3);
		list_good(l);
		list_refused_and_healed(l, list_poll(l, NOW + 60), "");
		list_expect("SELECT labels FROM resource", "{\"owner\":\"ada\"}");
		list_finish();
	}
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_item_that_reads_wrong_spoils_its_list_and_nothing_else),
		cmocka_unit_test(an_answer_that_is_no_list_is_not_an_empty_one),
		cmocka_unit_test(what_is_odd_and_right_is_kept_to_the_digit),
		cmocka_unit_test(labels_of_a_failed_poll_are_those_from_before),
	};

	return cmocka_run_group_tests(tests, list_setup, NULL);
}
