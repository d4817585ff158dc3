# Current releases of solvers, fetched from their package registries and built in build/current. From the root:
#
#   make current          everything that the machine allows; prints what is left out, and why
#
# scripts/current fetches first, then runs this file. sources/, python/ and rust/ pin the versions.

CC    ?= cc
CXX   ?= c++
BUILD ?= build
CURRENT := cexternal/current
INTO    := $(BUILD)/current
SOURCES := $(INTO)/sources
ADAPTER := cexternal/adapters
SHARED  := $(CXX) -std=c++17 -O2 -g -fPIC -shared -Wall -Wextra -fvisibility-inlines-hidden

# How CaDiCaL is compiled. Its objects depend on the file, which changes when this does.
OPTIMIZE ?= -O2
.PHONY: all FORCE
all:
$(INTO)/optimize: FORCE
	@mkdir -p $(@D)
	@echo "$(OPTIMIZE)" | cmp -s - $@ || echo "$(OPTIMIZE)" > $@

# $(1): name and version; $(2): the directory of its sources.
# As CaDiCaL's own makefile builds it, and once more with its assertions. Contracts stay: they say who broke the rules.
define cadical
$(1)_CPP := $$(filter-out %/cadical.cpp %/mobical.cpp %/ccadical.cpp %/ipasir.cpp,$$(wildcard $(2)/src/*.cpp))
$(1)_OBJ := $$(notdir $$($(1)_CPP:.cpp=.o)) kitten.o
$(1)_DEF := -DNBUILD -DVERSION='"$(lastword $(subst -, ,$(1)))"' -w -fPIC -fvisibility=hidden -I$(2)/src $(3)

ifneq ($$(wildcard $(2)/src/cadical.hpp),)
all: $(INTO)/$(1).so $(INTO)/$(1)-checked.so $(INTO)/$(1)-ipasir.so
endif

$(INTO)/$(1)/release/%.o: $(2)/src/%.cpp $(INTO)/optimize
	@mkdir -p $$(@D)
	$(CXX) -std=c++11 $(OPTIMIZE) -DNDEBUG $$($(1)_DEF) -c $$< -o $$@
$(INTO)/$(1)/release/kitten.o: $(2)/src/kitten.c $(INTO)/optimize
	@mkdir -p $$(@D)
	$(CC) -std=c99 $(OPTIMIZE) -DNDEBUG $$($(1)_DEF) -c $$< -o $$@
$(INTO)/$(1)/checked/%.o: $(2)/src/%.cpp $(INTO)/optimize
	@mkdir -p $$(@D)
	$(CXX) -std=c++11 $(OPTIMIZE:-O2=-O1) $$($(1)_DEF) -c $$< -o $$@
$(INTO)/$(1)/checked/kitten.o: $(2)/src/kitten.c $(INTO)/optimize
	@mkdir -p $$(@D)
	$(CC) -std=c99 $(OPTIMIZE:-O2=-O1) $$($(1)_DEF) -c $$< -o $$@

$(INTO)/$(1)/libcadical.a: $$(addprefix $(INTO)/$(1)/release/,$$($(1)_OBJ))
	$(AR) rcs $$@ $$^
$(INTO)/$(1)/libcadical-checked.a: $$(addprefix $(INTO)/$(1)/checked/,$$($(1)_OBJ))
	$(AR) rcs $$@ $$^

$(INTO)/$(1).so: $(INTO)/$(1)/libcadical.a $(ADAPTER)/cadical.cc $(wildcard $(ADAPTER)/*.hpp)
	$(SHARED) -isystem $(2)/src $(patsubst -I%,-isystem%,$(3)) -DCADICAL_SOURCES -o $$@ \
		$(ADAPTER)/cadical.cc $$< -Wl,--exclude-libs,ALL
$(INTO)/$(1)-checked.so: $(INTO)/$(1)/libcadical-checked.a $(ADAPTER)/cadical.cc $(wildcard $(ADAPTER)/*.hpp)
	$(SHARED) -isystem $(2)/src $(patsubst -I%,-isystem%,$(3)) -DCADICAL_SOURCES -o $$@ \
		$(ADAPTER)/cadical.cc $$< -Wl,--exclude-libs,ALL
# The functions of ipasir.h that CaDiCaL itself has.
$(INTO)/$(1)-ipasir.so: $(INTO)/$(1)/libcadical.a $(wildcard $(2)/src/ipasir.cpp $(2)/src/ccadical.cpp)
	$(CXX) -std=c++11 -O2 -DNDEBUG -shared $$($(1)_DEF) -fvisibility=default -o $$@ $$(filter %.cpp,$$^) $$<
endef
# The crate adds two functions to its copy of CaDiCaL, in cpp-extension; the rest is the release.
$(eval $(call cadical,cadical-2.2.1,$(SOURCES)/rustsat-cadical/cppsrc,\
	-I$(SOURCES)/rustsat-cadical/cpp-extension -DV154 -DV160 -DV190 -DV194 -DV200 -DV213 -DV220))
$(eval $(call cadical,cadical-3.0.1,$(SOURCES)/cadical-sys/cadical,))
# A release from 2.2.0 on that no registry has, in a directory of its repository:
#   make -f cexternal/current/current.mk build/current/cadical-2.2.0.so CADICAL=/path/to/cadical
ifdef CADICAL
$(eval $(call cadical,cadical-$(shell cat $(CADICAL)/VERSION),$(CADICAL),))
endif

# CaDiCaL's programs, which write proofs in more formats than its library hands over.
# $(1): name and version; $(2): the directory of its sources.
define program
ifneq ($$(wildcard $(2)/src/cadical.cpp),)
all: $(INTO)/$(1)/cadical
endif
$(INTO)/$(1)/cadical: $(2)/src/cadical.cpp $(INTO)/$(1)/libcadical.a
	$(CXX) -std=c++11 -O2 -DNDEBUG $$($(1)_DEF) -o $$@ $$^
endef
$(eval $(call program,cadical-2.2.1,$(SOURCES)/rustsat-cadical/cppsrc))
$(eval $(call program,cadical-3.0.1,$(SOURCES)/cadical-sys/cadical))

# PicoSAT, as the Python package pycosat has it, with proofs: Debian compiles it without. The package lacks PicoSAT's
# own program, so picosat/main.c replaces it.
PICOSAT := $(SOURCES)/pycosat
ifneq ($(wildcard $(PICOSAT)/picosat.c),)
all: $(INTO)/picosat-proofs
endif
$(INTO)/picosat-proofs: $(PICOSAT)/picosat.c $(CURRENT)/picosat/main.c
	$(CC) -O2 -DNDEBUG -DTRACE -w -I$(PICOSAT) -o $@ $(filter %.c,$^)

# kissat, as its own configure builds it: a program that reads a file. ipafuzz runs the program, because kissat's
# interface has no assumptions.
KISSAT := $(SOURCES)/rustsat-kissat/csrc
KISSAT_OBJ := $(patsubst $(KISSAT)/src/%.c,%.o,$(wildcard $(KISSAT)/src/*.c))
KISSAT_DEF := -std=c99 -O2 -w -I$(KISSAT)/src -I$(INTO)/kissat-4.0.4
ifneq ($(wildcard $(KISSAT)/src/kissat.h),)
all: $(INTO)/kissat-4.0.4/kissat $(INTO)/kissat-4.0.4/kissat-checked
endif
$(INTO)/kissat-4.0.4/build.h:
	@mkdir -p $(@D)
	@printf '#define %s "%s"\n' VERSION 4.0.4 COMPILER cc ID crate BUILD crate DIR . > $@
$(INTO)/kissat-4.0.4/release/%.o: $(KISSAT)/src/%.c $(INTO)/kissat-4.0.4/build.h
	@mkdir -p $(@D)
	$(CC) $(KISSAT_DEF) -DNDEBUG -c $< -o $@
$(INTO)/kissat-4.0.4/checked/%.o: $(KISSAT)/src/%.c $(INTO)/kissat-4.0.4/build.h
	@mkdir -p $(@D)
	$(CC) $(KISSAT_DEF) -c $< -o $@
$(INTO)/kissat-4.0.4/kissat: $(addprefix $(INTO)/kissat-4.0.4/release/,$(KISSAT_OBJ))
	$(CC) -o $@ $^ -lm
$(INTO)/kissat-4.0.4/kissat-checked: $(addprefix $(INTO)/kissat-4.0.4/checked/,$(KISSAT_OBJ))
	$(CC) -o $@ $^ -lm

# Z3's wheel has the library and its headers.
Z3 := $(firstword $(wildcard $(INTO)/venv/lib/python3*/site-packages/z3))
ifneq ($(Z3),)
all: $(INTO)/z3-5.4.so $(INTO)/z3-5.4-qbf.so
endif
$(INTO)/z3-5.4.so: $(ADAPTER)/z3.cc $(ADAPTER)/described.hpp $(ADAPTER)/watch.hpp $(Z3)/lib/libz3.so
	$(SHARED) -isystem $(Z3)/include -o $@ $< $(Z3)/lib/libz3.so -lpthread -Wl,-rpath,$(abspath $(Z3)/lib)
$(INTO)/z3-5.4-qbf.so: $(ADAPTER)/z3_qbf.cc $(ADAPTER)/qbf.hpp $(ADAPTER)/described.hpp $(ADAPTER)/watch.hpp \
		cexternal/exec/qbf.h $(Z3)/lib/libz3.so
	$(SHARED) -isystem $(Z3)/include -o $@ $< $(Z3)/lib/libz3.so -lpthread -Wl,-rpath,$(abspath $(Z3)/lib)

# DepQBF 6.03, as the Python package pydepqbf has it, with its own copies of PicoSAT and Nenofex.
DEPQBF := $(SOURCES)/pydepqbf
DEPQBF_C := $(filter-out %/pydepqbf.c,$(wildcard $(DEPQBF)/*.c $(DEPQBF)/picosat/*.c $(DEPQBF)/nenofex/*.c))
DEPQBF_DEF := -std=gnu99 -O2 -w -fPIC -fvisibility=hidden -I$(DEPQBF)
define depqbf
ifneq ($$(wildcard $(DEPQBF)/qdpll.c),)
all: $(INTO)/$(1).so
endif
$(INTO)/$(1)/%.o: $(DEPQBF)/%.c
	@mkdir -p $$(@D)
	$(CC) $(DEPQBF_DEF) $(2) -c $$< -o $$@
$(INTO)/$(1).so: $$(DEPQBF_C:$(DEPQBF)/%.c=$(INTO)/$(1)/%.o) $(ADAPTER)/depqbf.cc \
		cexternal/exec/depqbf.h cexternal/exec/qbf.h
	$(SHARED) -DDEPQBF_6 -isystem $(DEPQBF) -o $$@ $(ADAPTER)/depqbf.cc $$(filter %.o,$$^)
endef
$(eval $(call depqbf,depqbf-6.03,-DNDEBUG))
$(eval $(call depqbf,depqbf-6.03-checked,))

# Nenofex 1.1 alone, from the same package.
ifneq ($(wildcard $(DEPQBF)/nenofex/nenofex.c),)
all: $(INTO)/nenofex
endif
$(INTO)/nenofex: $(CURRENT)/nenofex/main.c $(filter $(INTO)/depqbf-6.03/nenofex/%.o $(INTO)/depqbf-6.03/picosat/%.o,\
		$(DEPQBF_C:$(DEPQBF)/%.c=$(INTO)/depqbf-6.03/%.o))
	$(CC) -std=gnu99 -O2 -isystem $(DEPQBF)/nenofex -o $@ $(filter %.c %.o,$^)

# The programs of the Python package pyqbf, where targets.toml looks for them.
PYQBF := $(firstword $(wildcard $(INTO)/venv/lib/python3*/site-packages/cmeel.prefix/bin))
ifneq ($(wildcard $(PYQBF)/pyqbf_*),)
all: $(INTO)/pyqbf
endif
$(INTO)/pyqbf:
	ln -sfn $(patsubst $(INTO)/%,%,$(PYQBF)) $@

# What was built is stale when this file or a pinned version changes: the files of crates have the dates of their
# releases. Only files that exist can be stale.
$(wildcard $(INTO)/*.so $(INTO)/nenofex $(INTO)/picosat-proofs $(foreach of,*/ */*/ */*/*/,$(INTO)/$(of)*.o)): \
	$(CURRENT)/current.mk $(INTO)/sources/Cargo.toml
