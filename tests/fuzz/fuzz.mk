# Fuzzing with libFuzzer. Included by the Makefile; tests/fuzz/README.md says more.
FUZZ         ?=
FUZZ_SECONDS ?= 20
FUZZ_RUNS    ?=
FUZZ_ASAN    ?= yes
FUZZ_CC      ?= $(if $(shell command -v ccache),ccache )clang

FUZZ_SRC := $(wildcard tests/fuzz/fuzz_*.c)
FUZZ_OBJ := $(FUZZ_SRC:%.c=$(B)/%.o)
FUZZ_BIN := $(patsubst tests/fuzz/fuzz_%.c,$(B)/fuzz/%,$(FUZZ_SRC))

# Modes of their own, each with its build directory: with AddressSanitizer; and without, several times
# faster, where comparisons are not traced either, so that words come from the dictionaries alone.
fuzz_sanitizers = $(if $(filter fuzz,$(MODE)),address$(comma))undefined
MODE_fuzz      = -O1 -g -fno-omit-frame-pointer -fsanitize=fuzzer-no-link,$(fuzz_sanitizers) \
	-fno-sanitize-recover=undefined
MODE_fuzz-fast = -O2 -g -fsanitize=$(fuzz_sanitizers) -fno-sanitize-recover=undefined \
	-fsanitize-coverage=inline-8bit-counters,pc-table

.PHONY: fuzz fuzz-programs
fuzz: $(DEPS)
	$(Q)MAKE='$(MAKE)' CC='$(FUZZ_CC)' FUZZ='$(FUZZ)' SECONDS_EACH='$(FUZZ_SECONDS)' \
		RUNS='$(FUZZ_RUNS)' MODE=$(if $(filter no,$(FUZZ_ASAN)),fuzz-fast,fuzz) \
		sh tests/fuzz/run.sh
fuzz-programs: $(FUZZ_BIN)
$(B)/fuzz/%: $(B)/tests/fuzz/fuzz_%.o $(B)/tests/support/paste.o $(B)/libweb.a $(B)/libnet.a $(B)/libcore.a
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS_ALL) -fsanitize=fuzzer,$(fuzz_sanitizers) \
		-Wl,--defsym=LLVMFuzzerTestOneInput=fuzz_$* -o $@ $^ $(libs_net) $(libs_web) $(libs_core) -lpthread
# replays the corpora, whatever the compiler
$(B)/unit/fuzz: $(FUZZ_OBJ)
-include $(FUZZ_OBJ:.o=.d)
