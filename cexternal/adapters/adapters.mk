# The adapters: one shared library each, in build/adapters. From the root:
#
#   make adapters                                 those whose package is installed
#   make maxsat-over LIBRARY=/path/libsolver.so   the MaxSAT engines over your own IPASIR library
#
# make prints which adapters it leaves out because a package is missing.

CXX ?= c++
# Relative to the root of the repository, as in the Makefile that includes this.
BUILD ?= build
ADAPTERS := cexternal/adapters
INTO     := $(BUILD)/adapters
REF      := cexternal/ref

ADAPTER_CXX := $(CXX) -std=c++17 -O2 -g -fPIC -shared -Wall -Wextra -Werror -fvisibility-inlines-hidden
LOOPS       := $(addprefix $(REF)/,maxsat.c coreguided.c improving.c totalizer.c adder.c ipamir.c certificate.c \
	proof.c handle.c names.c at_once.c options.c defects.c burdens.c misbehave.c vector.c)
OVER        := $(CC) -std=c11 -D_GNU_SOURCE -O2 -g -fPIC -shared -Wall -Wextra -Werror -fvisibility=hidden \
	-I$(REF) -Icexternal/exec

CADICAL := $(firstword $(wildcard /usr/lib/*/libcadical.a /usr/lib/libcadical.a /usr/local/lib/libcadical.a))

# name, a file of the package, the package (its name in Debian)
PRESENT :=
define when
ifneq ($$(wildcard $(2)),)
PRESENT += $(1)
else
MISSING += $(1):$(3)
endif
endef
$(eval $(call when,cadical,/usr/include/cadical.hpp,libcadical-dev))
$(eval $(call when,cadical-ipasir,/usr/include/cadical.hpp,libcadical-dev))
$(eval $(call when,picosat,/usr/include/picosat/picosat.h,picosat))
$(eval $(call when,cryptominisat,/usr/include/cryptominisat5/cryptominisat.h,libcryptominisat5-dev))
$(eval $(call when,minisat,/usr/include/minisat/core/Solver.h,minisat))
$(eval $(call when,minisat-simp,/usr/include/minisat/simp/SimpSolver.h,minisat))
$(eval $(call when,cvc5,/usr/include/cvc5/cvc5.h,libcvc5-dev))
SAT := $(PRESENT)
$(eval $(call when,z3,/usr/include/z3.h,libz3-dev))
$(eval $(call when,z3-qbf,/usr/include/z3++.h,libz3-dev))
$(eval $(call when,cvc5-qbf,/usr/include/cvc5/cvc5.h,libcvc5-dev))
$(eval $(call when,depqbf,/usr/include/qdpll/qdpll.h,depqbf))

BUILT := $(PRESENT:%=$(INTO)/%.so) $(SAT:%=$(INTO)/maxsat-over-%.so)

.PHONY: adapters
adapters: $(BUILT) ## build the solver libraries of cexternal/adapters/targets.toml
	@for missing in $(MISSING); do \
		echo "adapters: $${missing%%:*} is not built: the package $${missing##*:} is missing ('make setup')" >&2; done

$(INTO):
	@mkdir -p $@

FACE := $(ADAPTERS)/ipasir.hpp $(ADAPTERS)/described.hpp $(ADAPTERS)/adapters.mk | $(INTO)

# The archive has ipasir_* functions of its own, which must not be exported too.
$(INTO)/cadical.so: $(ADAPTERS)/cadical.cc $(INTO)/cadical_options.hpp $(FACE)
	$(ADAPTER_CXX) -I$(INTO) -o $@ $< $(CADICAL) -Wl,--exclude-libs,ALL

# The table of the target cadical-raw, as a text in C++.
$(INTO)/cadical_options.hpp: $(ADAPTERS)/cadical.options $(ADAPTERS)/adapters.mk | $(INTO)
	@{ echo 'static const char *const cadical_options ='; sed -n 's/^option .*/  "&\\n"/p' $<; echo '  ;'; } >$@

$(INTO)/cadical-ipasir.so: $(CADICAL) $(ADAPTERS)/adapters.mk | $(INTO)
	$(CXX) -shared -o $@ -Wl,--whole-archive $(CADICAL) -Wl,--no-whole-archive

$(INTO)/picosat.so: $(ADAPTERS)/picosat.cc $(FACE)
	$(ADAPTER_CXX) -o $@ $< -lpicosat

$(INTO)/cryptominisat.so: $(ADAPTERS)/cryptominisat.cc $(ADAPTERS)/watch.hpp $(FACE)
	$(ADAPTER_CXX) -o $@ $< -lcryptominisat5 -lpthread

# The headers predate C++11: a friend with a default argument, and literals next to macros without a space.
MINISAT := -fpermissive -w -D__STDC_LIMIT_MACROS -D__STDC_FORMAT_MACROS
$(INTO)/minisat.so: $(ADAPTERS)/minisat.cc $(FACE)
	$(ADAPTER_CXX) $(MINISAT) -o $@ $< -lminisat

$(INTO)/minisat-simp.so: $(ADAPTERS)/minisat.cc $(FACE)
	$(ADAPTER_CXX) $(MINISAT) -DSIMP -o $@ $< -lminisat

$(INTO)/cvc5.so: $(ADAPTERS)/cvc5.cc $(FACE)
	$(ADAPTER_CXX) -o $@ $< -lcvc5

QBF_FACE := $(ADAPTERS)/qbf.hpp $(ADAPTERS)/described.hpp cexternal/exec/qbf.h $(ADAPTERS)/adapters.mk | $(INTO)
$(INTO)/z3-qbf.so: $(ADAPTERS)/z3_qbf.cc $(ADAPTERS)/watch.hpp $(QBF_FACE)
	$(ADAPTER_CXX) -o $@ $< -lz3 -lpthread

$(INTO)/cvc5-qbf.so: $(ADAPTERS)/cvc5_qbf.cc $(QBF_FACE)
	$(ADAPTER_CXX) -o $@ $< -lcvc5

$(INTO)/depqbf.so: $(ADAPTERS)/depqbf.cc $(ADAPTERS)/described.hpp cexternal/exec/depqbf.h cexternal/exec/qbf.h \
		$(ADAPTERS)/adapters.mk | $(INTO)
	$(ADAPTER_CXX) -o $@ $< -lqdpll

$(INTO)/z3.so: $(ADAPTERS)/z3.cc $(ADAPTERS)/watch.hpp $(ADAPTERS)/described.hpp $(ADAPTERS)/adapters.mk | $(INTO)
	$(ADAPTER_CXX) -o $@ $< -lz3 -lpthread

$(INTO)/maxsat-over-%.so: $(ADAPTERS)/maxsat_over_ipasir.c $(LOOPS) $(wildcard $(REF)/*.h) \
		$(ADAPTERS)/adapters.mk | $(INTO)
	$(OVER) '-DIPASIR_LIBRARY="$*.so"' -o $@ $< $(LOOPS) -ldl

.PHONY: maxsat-over
maxsat-over: | $(INTO) ## build the MaxSAT engines over your IPASIR library: LIBRARY=/path/libsolver.so
	@test -e "$(LIBRARY)" || { echo "set LIBRARY=/path/libsolver.so" >&2; exit 2; }
	$(OVER) '-DIPASIR_LIBRARY="$(abspath $(LIBRARY))"' -o $(INTO)/maxsat-over-$(basename $(notdir $(LIBRARY))).so \
		$(ADAPTERS)/maxsat_over_ipasir.c $(LOOPS) -ldl
