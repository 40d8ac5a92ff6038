# tpucost: cost and quota accounting for Google Cloud TPU users.
#
#   make          build/release/tpucost        make demo   see it work, no account needed
#   make test     every test                   make check  format, layers, lints, tests
#   make help     all targets
#
# MODE=asan builds with AddressSanitizer and UBSan, MODE=debug without optimisation.
# CC=clang works too. V=1 shows the commands.

VERSION := 0.1.0
MODE    ?= release
PREFIX  ?= /usr/local
BINDIR  ?= $(PREFIX)/bin
LIBEXECDIR ?= $(PREFIX)/libexec/tpucost
DESTDIR ?=

# As many jobs as processors, unless -j is given.
ifeq ($(MAKELEVEL),0)
MAKEFLAGS += -j$(shell nproc 2>/dev/null || echo 1)
endif

B   := build/$(MODE)
GEN := build/gen
Q   := $(if $(V),,@)
say  = $(if $(V),,@printf '  %-5s %s\n' $(1) '$(2)')

# pkg-config runs once, with the first command: when this file is read, the packages may not be installed
# yet.
once = $(eval $(1) := $(2))$($(1))
PKG_CORE := sqlite3 libcjson yaml-0.1
PKG_NET  := libcurl libcrypto zlib gmime-3.0 libxml-2.0
PKG_WEB  := libmicrohttpd
PKG_TEST := cmocka libssl libcmark-gfm
PKG_CONFIG ?= pkg-config
pc = $(shell $(PKG_CONFIG) $(1))
# The programs can be built without the packages of the tests.
pc_cflags = $(call once,pc_cflags,$(patsubst -I%,-isystem %,$(call pc,--cflags $(PKG_CORE) $(PKG_NET) $(PKG_WEB)) \
	$(call pc,--cflags $(PKG_TEST) 2>/dev/null)))
# The archives of SQLite and libyaml are linked where they are installed, unless SHARED=yes: else three quarters
# of the instructions of `tpucost --version` are the dynamic loader's work on them (docs/adr/0029-archives.md).
ARCHIVES  = $(if $(SHARED),,$(foreach lib,sqlite3 yaml,$(if $(filter /%,$(shell $(CC) -print-file-name=lib$(lib).a)),$(lib))))
libs_core = $(call once,libs_core,$(foreach lib,$(call pc,--libs $(PKG_CORE)),$(if $(filter $(ARCHIVES:%=-l%),$(lib)),$(lib:-l%=-l:lib%.a),$(lib))) -lm)
libs_net  = $(call once,libs_net,$(call pc,--libs $(PKG_NET)))
libs_web  = $(call once,libs_web,$(call pc,--libs $(PKG_WEB)))
libs_test = $(call once,libs_test,$(call pc,--libs $(PKG_TEST) $(PKG_WEB)) -lcmark-gfm-extensions)

is_clang = $(call once,is_clang,$(findstring clang,$(shell $(CC) --version)))
WARN = -Wall -Wextra -Wno-missing-field-initializers -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
	-Wold-style-definition -Wpointer-arith -Wwrite-strings -Wvla -Wformat=2 \
	-Wconversion -Wsign-conversion -Wundef -Wdouble-promotion -Wnull-dereference \
	-Wimplicit-fallthrough -Wcast-qual -Walloca \
	$(if $(is_clang),,-Wduplicated-cond -Wlogical-op)
MODE_release := -O2 -g -D_FORTIFY_SOURCE=2
MODE_debug   := -O0 -g3
MODE_asan    := -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined \
	-fno-sanitize-recover=undefined
MODE_cov     := -O0 -g --coverage -fprofile-update=prefer-atomic
WERROR := $(if $(CI),-Werror)
CFLAGS_ALL = -std=gnu11 $(WARN) $(WERROR) -fno-common -fstack-protector-strong \
	$(MODE_$(MODE)) -D_GNU_SOURCE -I. -I$(GEN) $(pc_cflags) \
	-DTPUCOST_VERSION='"$(VERSION)"' \
	$(CFLAGS_PLACE) $(CPPFLAGS) $(CFLAGS)
LDFLAGS_ALL = $(if $(filter asan,$(MODE)),-fsanitize=address$(comma)undefined) \
	$(if $(filter cov,$(MODE)),--coverage -Wl$(comma)--wrap=_exit$(comma)--wrap=kill) \
	-Wl,-z,relro,-z,now -Wl,--as-needed $(LDFLAGS)
LDFLAGS_PROGRAM = $(if $(SHARED),,-Wl$(comma)-z$(comma)pack-relative-relocs)
comma := ,
# Building test programs takes longer than running them: they are not optimised, and linked with gold if it
# is installed.
TEST_CFLAGS  = $(if $(filter release,$(MODE)),-O0 -U_FORTIFY_SOURCE)
TEST_LDFLAGS = $(call once,TEST_LDFLAGS,$(if $(shell command -v ld.gold 2>/dev/null),-fuse-ld=gold))

FOLDERS := base db gcp collector rules reports cli
# ---- sources ---------------------------------------------------------------------------
# Three programs from one source tree. `tpucost` answers queries and starts in about the time of the sqlite3
# shell, because it links no network library. It runs `tpucost-net` for commands that need the network, and
# `tpucost-web` for the page, which accepts connections and opens none. These folders are only in one of them.
WEB_SRC   = $(call sources,cli/web)
WEB_OBJ   = $(WEB_SRC:%.c=$(B)/%.o) $(B)/gen/web_files.o
NET_DIR  := base/net gcp collector rules/act reports/send cli/net cli/doctor cli/daemon cli/init
sources   = $(foreach dir,$(1),$(wildcard $(dir)/*.c $(dir)/*/*.c $(dir)/*/*/*.c))
NET_SRC  := $(call sources,$(NET_DIR))
CORE_SRC := $(filter-out $(NET_SRC) $(WEB_SRC) cli/main.c,$(call sources,$(FOLDERS)))
GEN_SRC  := $(GEN)/db_sql.c $(GEN)/html_css.c $(GEN)/prices.c
GEN_H    := $(GEN)/db_sql.h $(GEN)/html_css.h $(GEN)/tpu_families.h
CORE_OBJ := $(CORE_SRC:%.c=$(B)/%.o) $(GEN_SRC:$(GEN)/%.c=$(B)/gen/%.o) \
	$(if $(filter cov,$(MODE)),$(B)/tests/coverage/dump.o)
NET_OBJ  := $(NET_SRC:%.c=$(B)/%.o)
SANDBOX_SRC := $(wildcard tests/sandbox/*.c tests/sandbox/*/*.c)
SUPPORT_SRC := $(filter-out %/machine.c,$(wildcard tests/support/*.c tests/support/*/*.c))
UNIT_SRC    := $(wildcard tests/unit/*/*.c)
UNIT_BIN    := $(patsubst tests/unit/%/,$(B)/unit/%,$(sort $(dir $(UNIT_SRC))))
SUPPORT_OBJ := $(SUPPORT_SRC:%.c=$(B)/%.o)
ALL_OBJ := $(CORE_OBJ) $(NET_OBJ) $(WEB_OBJ) $(B)/cli/main.o $(B)/cli/cmds-net.o $(B)/cli/cmds-web.o \
	$(SANDBOX_SRC:%.c=$(B)/%.o) $(SUPPORT_OBJ) $(UNIT_SRC:%.c=$(B)/%.o)

.PHONY: all demo test test-unit unit-programs cli-programs test-cli test-node check clean help deps \
	test-googlesql test-html test-web format lint format-check bench test-bench test-model disaster coverage
.SECONDARY:
all: $(B)/tpucost $(B)/tpucost-net $(B)/tpucost-web man completion

# ---- packages --------------------------------------------------------------------------
# The stamp is renewed when the list of packages changes. Building and installing need fewer packages than
# tests; if the stamp for all packages exists, it is used.
BUILD_ONLY := $(if $(filter-out all install install-files list-files uninstall man completion deb dist,$(or $(MAKECMDGOALS),all)),,build)
DEPS := build/.deps$(if $(wildcard build/.deps),,$(BUILD_ONLY))
deps: $(DEPS)
$(DEPS): tests/support/packages.sh
	$(Q)mkdir -p $(@D)
	$(Q)sh tests/support/packages.sh $(patsubst build/.deps%,%,$@)
	$(Q)touch $@

# ---- generated code --------------------------------------------------------------------
MIGRATIONS := $(sort $(wildcard db/schema/*.sql))
SQL_IN := db/derived.sql $(shell ls db/views/*/*.sql | sort -t / -k 4) $(MIGRATIONS) $(sort $(wildcard db/sql/*/*.sql))
# The schema after all migrations: a new database is made in a seventh of the time in this way.
$(GEN)/new.sql: $(MIGRATIONS) | $(DEPS)
	$(call say,GEN,$@)
	$(Q)mkdir -p $(@D)
	$(Q){ cat $^ && echo .dump; } | sqlite3 -batch -bail -init /dev/null :memory: > $@.tmp && mv $@.tmp $@
$(GEN)/db_sql.h: db/gen.awk $(SQL_IN)
	$(call say,GEN,$@)
	$(Q)mkdir -p $(@D)
	$(Q)awk -v mode=h -f db/gen.awk $(SQL_IN) > $@.tmp && mv $@.tmp $@
$(GEN)/db_sql.c: db/gen.awk $(SQL_IN) $(GEN)/new.sql $(GEN)/db_sql.h
	$(call say,GEN,$@)
	$(Q)awk -v mode=c -f db/gen.awk $(SQL_IN) $(GEN)/new.sql > $@.tmp && mv $@.tmp $@
$(GEN)/html_css.h $(GEN)/html_css.c: $(GEN)/html_css.%: reports/doc/html/css.awk reports/doc/html/report.css
	$(call say,GEN,$@)
	$(Q)mkdir -p $(@D)
	$(Q)awk -v mode=$* -f $^ > $@.tmp && mv $@.tmp $@
$(GEN)/web_files.c: cli/web/files.awk cli/web/page.css cli/web/page.js
	$(call say,GEN,$@)
	$(Q)mkdir -p $(@D)
	$(Q)awk -f $^ > $@.tmp && mv $@.tmp $@
PRICE_IN := $(sort $(wildcard rules/prices/*.csv))
$(GEN)/prices.c: rules/prices.awk $(PRICE_IN)
	$(call say,GEN,$@)
	$(Q)mkdir -p $(@D)
	$(Q)awk -f rules/prices.awk $(PRICE_IN) > $@.tmp && mv $@.tmp $@
$(GEN)/tpu_families.h: rules/grant/tpu_families.awk rules/grant/tpu_families.csv
	$(call say,GEN,$@)
	$(Q)mkdir -p $(@D)
	$(Q)awk -f $^ > $@.tmp && mv $@.tmp $@
# Key of the sandbox's service accounts; generating one takes longer than most tests.
$(GEN)/sandbox_key.c: | $(DEPS)
	$(call say,GEN,$@)
	$(Q)mkdir -p $(@D)
	$(Q)openssl genrsa -out $@.pem 2048 2>/dev/null
	$(Q)awk 'BEGIN { print "extern const char sandbox_key_pem[];\nconst char sandbox_key_pem[] =" } \
		{ print "\t\"" $$0 "\\n\"" } END { print ";" }' $@.pem > $@.tmp && rm $@.pem && mv $@.tmp $@

# ---- compiling -------------------------------------------------------------------------
# Objects depend on the flags.
$(B)/.flags: FORCE | $(DEPS)
	$(Q)mkdir -p $(@D)
	$(Q)printf '%s\n' '$(CC) $(subst ','\'',$(CFLAGS_ALL) $(TEST_CFLAGS))' > $@.new; \
	cmp -s $@.new $@ && rm $@.new || mv $@.new $@
# Only one file contains the place of installation, so another PREFIX rebuilds only that file.
$(B)/.libexecdir: FORCE | $(DEPS)
	$(Q)mkdir -p $(@D)
	$(Q)printf '%s\n' '$(LIBEXECDIR)' > $@.new; cmp -s $@.new $@ && rm $@.new || mv $@.new $@
$(B)/cli/main.o: $(B)/.libexecdir
$(B)/cli/main.o: private CFLAGS_PLACE = -DTPUCOST_LIBEXECDIR='"$(LIBEXECDIR)"'
.PHONY: FORCE
FORCE:

$(B)/gen/%.o: $(GEN)/%.c $(B)/.flags | $(DEPS) $(GEN_H)
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS_ALL) -MMD -MP -c $< -o $@
$(B)/cli/cmds-net.o: cli/cmds.c $(B)/.flags | $(DEPS) $(GEN_H)
	$(call say,CC,$< (net))
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS_ALL) -DTPUCOST_NET -MMD -MP -c $< -o $@
$(B)/cli/cmds-web.o: cli/cmds.c $(B)/.flags | $(DEPS) $(GEN_H)
	$(call say,CC,$< (web))
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS_ALL) -DTPUCOST_WEB -MMD -MP -c $< -o $@
$(B)/%.o: %.c $(B)/.flags | $(DEPS) $(GEN_H)
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS_ALL) -MMD -MP -c $< -o $@
# Coverage is measured of the program, not of its tests (private: prerequisites keep their flags).
$(B)/tests/%.o: private MODE_cov := -O0 -g
# cmocka gives every test a state, which few need.
$(B)/tests/%.o: private WARN += -Wno-unused-parameter
$(B)/tests/unit/%.o: tests/unit/%.c $(B)/.flags | $(DEPS) $(GEN_H)
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS_ALL) $(TEST_CFLAGS) -MMD -MP -c $< -o $@
-include $(ALL_OBJ:.o=.d)

$(B)/libcore.a: $(CORE_OBJ)
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) qcs $@ $^
$(B)/libnet.a: $(NET_OBJ)
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) qcs $@ $^
$(B)/libweb.a: $(WEB_OBJ)
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) qcs $@ $^
$(B)/tpucost: $(B)/cli/main.o $(B)/libcore.a
	$(call say,LD,$@)
	$(Q)$(CC) $(LDFLAGS_ALL) $(LDFLAGS_PROGRAM) $(if $(SHARED),,-Wl$(comma)-z$(comma)lazy) -o $@ $^ $(libs_core)
$(B)/tpucost-net: $(B)/cli/main.o $(B)/cli/cmds-net.o $(B)/libnet.a $(B)/libcore.a
	$(call say,LD,$@)
	$(Q)$(CC) $(LDFLAGS_ALL) $(LDFLAGS_PROGRAM) -o $@ $^ $(libs_net) $(libs_core)
$(B)/tpucost-web: $(B)/cli/main.o $(B)/cli/cmds-web.o $(B)/libweb.a $(B)/libcore.a
	$(call say,LD,$@)
	$(Q)$(CC) $(LDFLAGS_ALL) $(LDFLAGS_PROGRAM) -o $@ $^ $(libs_web) $(libs_core)
$(B)/libsandbox.a: $(B)/gen/sandbox_key.o $(filter-out %/main.o,$(SANDBOX_SRC:%.c=$(B)/%.o))
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) qcs $@ $^
$(B)/libsupport.a: $(SUPPORT_OBJ)
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) qcs $@ $^
$(B)/sandbox: $(B)/tests/sandbox/main.o $(B)/libsandbox.a $(B)/libcore.a
	$(call say,LD,$@)
	$(Q)$(CC) $(LDFLAGS_ALL) -o $@ $^ $(libs_core) $(libs_net) $(libs_test) -lpthread
-include $(patsubst %.c,$(B)/%.d,$(wildcard tests/bench/*.c))
$(B)/bench/%: $(B)/tests/bench/%.o $(B)/libcore.a
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS_ALL) -o $@ $^ $(libs_core)
-include $(B)/tests/googlesql/print_sql.d
$(B)/googlesql/print_sql: $(B)/tests/googlesql/print_sql.o $(B)/collector/bill/sql.o $(B)/libcore.a
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS_ALL) -o $@ $^ $(libs_core)
-include $(B)/tests/html/print_doc.d
$(B)/html/print_doc: $(B)/tests/html/print_doc.o $(B)/libsupport.a $(B)/libnet.a $(B)/libcore.a
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS_ALL) -o $@ $^ $(libs_net) $(libs_core) $(libs_test) -lpthread
-include $(B)/tests/lazy/compare.d
$(B)/lazy/compare: $(B)/tests/lazy/compare.o $(B)/libcore.a
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS_ALL) -o $@ $^ $(libs_core)
-include $(B)/tests/mail/print_mail.d
$(B)/mail/print_mail: $(B)/tests/mail/print_mail.o $(B)/tests/support/sample_doc.o $(B)/libnet.a $(B)/libcore.a
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS_ALL) -o $@ $^ $(libs_net) $(libs_core) $(libs_test)
$(B)/machine.so: tests/support/machine.c | $(DEPS)
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) -std=gnu11 -O2 -fPIC -shared -Wall -Wextra -D_GNU_SOURCE -o $@ $<
$(B)/stubs/made: tests/support/stubs.sh | $(DEPS)
	$(call say,GEN,$@)
	$(Q)sh tests/support/stubs.sh $(@D) && touch $@
$(B)/faults/preload.so: tests/faults/preload.c | $(DEPS)
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) -std=gnu11 -O1 -g -fPIC -shared -Wall -Wextra -D_GNU_SOURCE -o $@ $<
# The unit tests of a folder are one program, which is linked again when a file is removed from the folder.
define unit_program
$(1): $(patsubst %.c,$(B)/%.o,$(wildcard tests/unit/$(notdir $(1))/*.c)) tests/unit/$(notdir $(1))
endef
$(foreach bin,$(UNIT_BIN),$(eval $(call unit_program,$(bin))))
$(UNIT_BIN): $(B)/libsupport.a $(B)/libsandbox.a $(B)/libweb.a $(B)/libnet.a $(B)/libcore.a
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS_ALL) $(TEST_LDFLAGS) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(libs_net) $(libs_core) $(libs_test) -lpthread

# ---- manual pages and completion, printed by the program from its tables ------------------
MAN := $(patsubst docs/man/%.in,$(B)/man/%,$(wildcard docs/man/*.in))
# The program that prints them; another where $(B)/tpucost is for another machine.
TOOL ?= $(B)/tpucost
COMPLETION := $(addprefix $(B)/completion/tpucost.,bash zsh fish)
.PHONY: man completion
man: $(MAN) $(COMPLETION)
completion: $(COMPLETION)
$(B)/man/%: docs/man/%.in docs/man/make.awk $(TOOL)
	$(call say,MAN,$@)
	$(Q)mkdir -p $(@D)
	$(Q)awk -v tool=$(TOOL) -f docs/man/make.awk $< > $@.tmp && mv $@.tmp $@
$(B)/completion/tpucost.%: $(TOOL)
	$(call say,COMPL,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(TOOL) completion $* > $@.tmp && mv $@.tmp $@

# ---- running ---------------------------------------------------------------------------
# Everything is built in parallel. Then the parts run one after the other; each uses all processors.
CLI_NEEDS := all $(B)/sandbox $(B)/machine.so $(B)/stubs/made $(B)/faults/preload.so $(B)/lazy/compare $(B)/html/print_doc $(B)/mail/print_mail
test: $(UNIT_BIN) $(CLI_NEEDS) $(B)/googlesql/print_sql
	$(Q)B=$(B) FETCH=no QUICK=1 CC='$(CC)' sh tests/run.sh $(TESTS)
test-quick: $(UNIT_BIN) $(CLI_NEEDS)
	$(Q)B=$(B) BASE=$(BASE) sh tests/run.sh --quick
.PHONY: test-quick
test-unit: unit-programs
	$(Q)B=$(B) sh tests/run.sh unit
unit-programs: $(UNIT_BIN) $(B)/machine.so
cli-programs: $(CLI_NEEDS)
test-cli: $(CLI_NEEDS)
	$(Q)B=$(B) sh tests/run.sh cli
test-clock: $(UNIT_BIN) $(CLI_NEEDS)
	$(Q)B=$(B) INSTANTS='$(INSTANTS)' sh tests/clock.sh
.PHONY: test-clock
test-node: all $(B)/sandbox
	$(Q)B=$(B) sh tests/node/run.sh
test-googlesql: $(B)/googlesql/print_sql $(B)/machine.so
	$(Q)B=$(B) sh tests/run.sh googlesql
test-html: $(B)/html/print_doc
	$(Q)B=$(B) sh tests/html/run.sh
test-web: all $(B)/sandbox $(B)/machine.so
	$(Q)B=$(B) PICTURES=$(PICTURES) sh tests/web/run.sh
test-mcp: all $(B)/sandbox $(B)/machine.so
	$(Q)B=$(B) sh tests/mcp/run.sh
.PHONY: test-mcp
bench: all $(B)/sandbox $(B)/bench/gen $(B)/bench/measure $(B)/bench/judge $(B)/bench/facts $(B)/bench/pairs
	$(Q)B=$(B) MODE=$(MODE) ROWS=$(ROWS) PAIRS=$(PAIRS) FACTS=$(FACTS) PARTS='$(PARTS)' SLOPE=$(SLOPE) PROJECTS=$(PROJECTS) ACTIVE=$(ACTIVE) sh tests/bench/run.sh
bench-count: all $(B)/machine.so $(B)/bench/facts
	$(Q)B=$(B) MODE=$(MODE) CC='$(CC)' KEEP=$(KEEP) sh tests/bench/count.sh
.PHONY: bench-count
test-bench: all $(B)/machine.so $(B)/bench/gen $(B)/bench/measure $(B)/bench/judge $(B)/bench/facts $(B)/bench/pairs
	$(Q)B=$(B) sh tests/bench/check.sh
test-model: $(B)/machine.so
	$(Q)B=$(B) CC='$(CC)' sh tests/run.sh model
.PHONY: mutants
mutants: $(DEPS)
	$(Q)B=$(B) MODE=$(MODE) CC='$(CC)' python3 tests/mutants/run.py run
check-faults: $(CLI_NEEDS) $(UNIT_BIN)
	$(Q)B=$(B) CC='$(CC)' sh tests/faults/run.sh
coverage: $(DEPS)
	$(Q)CC='$(CC)' sh tests/coverage/run.sh
disaster: all $(B)/sandbox
	$(Q)B=$(B) sh tests/disaster/run.sh
demo: all $(B)/sandbox
	$(Q)B=$(B) sh tests/demo.sh
check: format-check lint
	$(Q)$(MAKE) --no-print-directory test
	$(Q)$(MAKE) --no-print-directory test-bench
format:
	find $(FOLDERS) tests -name '*.[ch]' -exec clang-format -i {} +
format-check lint: $(DEPS)
format-check:
	$(Q)sh tests/lint/format.sh
lint:
	$(Q)sh tests/lint/run.sh
sizes:
	$(Q)sh tests/lint/sizes.sh
.PHONY: sizes

clean:
	rm -rf build demo
include packaging/package.mk
include tests/fuzz/fuzz.mk
help:
	@printf '%s\n' \
	'make            build $(B)/tpucost' \
	'make demo       build, run against a fake Google Cloud on this machine, write a report' \
	'make test       every test (TESTS="unit/base cli/enforce" for some; MODE=asan: with sanitizers)' \
	'make test-quick unit tests, and the command line tests of changed folders (BASE=COMMIT)' \
	"make test-node  Google's own Node libraries against the fake one (needs npm's registry)" \
	"make test-googlesql   the queries for BigQuery, on Google's own engine (needs npm's registry)" \
	'make man        only the manual pages and the shell completion' \
	'make test-clock every test with the machine'\''s clock at 12 instants, and in far time zones' \
	'make test-html  reports as HTML against a validator (needs npm'\''s registry)' \
	'make test-model every order of events in a model of enforcement (make test: small models)' \
	'make test-web   every page in Chromium, with a checker of accessibility (needs npm'\''s registry; PICTURES=DIR)' \
	'make test-mcp   clients of the Model Context Protocol use tpucost mcp (needs npm'\''s registry)' \
	'make mutants    small changes of the program that a test must notice (N=100 SEED=word, FILES, MUTANT)' \
	'make disaster   cost of a forgotten machine until tpucost stops it, with a simulated clock' \
	'make coverage   code coverage of the tests, and its minimum (ONLY=unit, ONLY=table)' \
	'make fuzz       hostile input to every reader and escaper (FUZZ=name, FUZZ_SECONDS=20, FUZZ_RUNS)' \
	'make check-faults  all fault cases, a line each, and long sweeps (CASES="A17 C14")' \
	'make bench      speed and memory compared with other tools (ROWS=1000000, PAIRS, FACTS, PARTS, SLOPE=1)' \
	'make bench-count  instructions of each query, none a tenth more than before (KEEP=1 keeps them)' \
	'make test-bench tests of the benchmark itself' \
	'make check      format, layers, lints, then make test' \
	'make format     reformat the sources in place' \
	'make sizes      lengths of files and functions, by folder (needs universal-ctags)' \
	'make install    into PREFIX=$(PREFIX) (DESTDIR=, BINDIR=, LIBEXECDIR=, ...); make uninstall' \
	'make deb        a Debian package in build/deb/ (ARCH="amd64 arm64"); test-deb: in a chroot' \
	'make dist       a tarball of static programs in build/dist/ (ARCH); test-dist: in a chroot' \
	'make test-container   the steps of the Containerfile, in a chroot' \
	'make deps       only install the Debian packages that building and testing need' \
	'make clean      remove build/ and demo/' \
	'' \
	'MODE=release|debug|asan  CC=gcc|clang  SHARED=yes (shared SQLite and libyaml)  V=1'
