# The runners: programs that serve solvers in other languages (docs/protocol.md), in
# build/runners. From the root:
#
#   make runners        those whose language and library are installed
#   make sat4j-jars     fetches the current release of Sat4j ('make setup' does it)
#
# make prints which runners it leaves out.

# Relative to the root of the repository, as in the Makefile that includes this.
BUILD ?= build
GO    ?= go
RUNNERS      := cexternal/runners
RUNNERS_INTO := $(BUILD)/runners

# Sat4j as Debian packages it, and a release from Maven Central that 'make setup'
# fetches and checks against sat4j/current.sha256.
SAT4J_SOURCES := $(wildcard $(RUNNERS)/sat4j/*.java)
SAT4J_PARTS   := core pb maxsat
SAT4J_DEBIAN  := $(wildcard $(SAT4J_PARTS:%=/usr/share/java/org.ow2.sat4j.%.jar))
SAT4J_CURRENT := 2.3.6
SAT4J_FETCHED := $(BUILD)/sat4j-$(SAT4J_CURRENT)
SAT4J_JARS    := $(wildcard $(SAT4J_PARTS:%=$(SAT4J_FETCHED)/org.ow2.sat4j.%-$(SAT4J_CURRENT).jar))

RUNNERS_PRESENT :=
RUNNERS_MISSING :=
ifeq ($(shell command -v javac),)
RUNNERS_MISSING += sat4j:default-jdk-headless
else
ifeq ($(words $(SAT4J_DEBIAN)),3)
RUNNERS_PRESENT += $(RUNNERS_INTO)/sat4j.jar
else
RUNNERS_MISSING += sat4j:sat4j
endif
ifeq ($(words $(SAT4J_JARS)),3)
RUNNERS_PRESENT += $(RUNNERS_INTO)/sat4j-current.jar
else
RUNNERS_MISSING += sat4j-current:org.ow2.sat4j
endif
endif

.PHONY: runners
runners: $(RUNNERS_PRESENT) gosolvers ## build the runners of cexternal/runners/targets.toml
	@for missing in $(RUNNERS_MISSING); do \
		echo "runners: $${missing%%:*} is not built: $${missing##*:} is not installed ('make setup')" >&2; done

# The manifest names the library, so the jar alone starts the runner.
define sat4j
$(1): $(SAT4J_SOURCES) $(RUNNERS)/runners.mk
	@rm -rf $(1).classes && mkdir -p $(1).classes
	javac -Xlint:all,-path -Werror -d $(1).classes -cp $(subst $(empty) ,:,$(abspath $(2))) $(SAT4J_SOURCES)
	@printf 'Main-Class: Runner\n' > $(1).manifest
	@set -- $(abspath $(2)); { printf 'Class-Path:'; for jar; do printf ' file://%s\n ' "$$$$jar"; done; \
		printf '\n'; } >> $(1).manifest
	jar cfm $(1) $(1).manifest -C $(1).classes .
	@rm -rf $(1).classes $(1).manifest
endef
empty :=
$(eval $(call sat4j,$(RUNNERS_INTO)/sat4j.jar,$(SAT4J_DEBIAN)))
$(eval $(call sat4j,$(RUNNERS_INTO)/sat4j-current.jar,$(SAT4J_JARS)))

.PHONY: sat4j-fetched
sat4j-fetched:
	@test $(words $(SAT4J_JARS)) -eq 3

.PHONY: sat4j-jars
sat4j-jars:
	@mkdir -p $(SAT4J_FETCHED)
	@for part in $(SAT4J_PARTS); do \
		mvn -q -B dependency:copy -Dartifact=org.ow2.sat4j:org.ow2.sat4j.$$part:$(SAT4J_CURRENT) \
			-DoutputDirectory=$(abspath $(SAT4J_FETCHED)) -Dmdep.overWriteReleases=true || exit 1; done
	@cd $(SAT4J_FETCHED) && sha256sum --quiet -c $(abspath $(RUNNERS)/sat4j/current.sha256) || \
		{ rm -rf $(abspath $(SAT4J_FETCHED)); exit 1; }

# A separate module, so everything else builds without its dependencies.
.PHONY: gosolvers
gosolvers: | $(RUNNERS_INTO)
	@cd $(RUNNERS)/gosolvers && $(GO) build -o $(abspath $(RUNNERS_INTO)/gosolvers) . || \
		echo "runners: gosolvers is not built: its modules could not be fetched" >&2

$(RUNNERS_INTO):
	@mkdir -p $@
