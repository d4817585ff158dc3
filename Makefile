# 'make test' installs what is missing and runs all tests, as CI does. 'make help' lists the targets.

GO      ?= go
CC      ?= cc
BUILD   := build
C_DIRS  := cexternal/exec cexternal/direct cexternal/load cexternal/worker cexternal/warden cexternal/ref
C_FLAGS := -std=c11 -D_GNU_SOURCE -Icexternal/exec -Icexternal/load -Icexternal/ref -Icexternal/worker
C_FILES := $(filter-out cexternal/ref/export.c,$(wildcard $(addsuffix /*.c,$(C_DIRS))))
FUZZTIME ?= 30s
MINUTES ?= 60

.PHONY: help
help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

.PHONY: setup
setup: ## install what the tests need (as root; otherwise print the command)
	@scripts/setup

.PHONY: build
build: ## build/ipafuzz and build/libipafuzzref.so, the built-in library
	@mkdir -p $(BUILD)
	$(GO) build -o $(BUILD)/ipafuzz ./cmd/ipafuzz
	$(CC) -shared -fPIC -std=c11 -D_GNU_SOURCE -O2 -DREF_SHARED -fvisibility=hidden -Icexternal/exec \
		-o $(BUILD)/libipafuzzref.so cexternal/ref/*.c

include cexternal/adapters/adapters.mk
include cexternal/runners/runners.mk

.PHONY: current
current: ## fetch and build current releases of solvers (cexternal/current; some minutes)
	@scripts/current

.PHONY: bugs
bugs: build adapters runners current ## replay docs/bugs-found.md in all versions; writes its columns versions and CI
	$(GO) run ./scripts/bugs

.PHONY: current-ci
current-ci: ## build those that tests need (cexternal/bugs/versions.toml)
	@scripts/current --ci

.PHONY: test
test: setup ## install what is missing, then run all checks and tests
	@$(MAKE) --no-print-directory installed # a new make sees what was installed

.PHONY: installed
installed: # what mostly waits, or keeps one processor busy, runs beside others
	@$(MAKE) --no-print-directory -j2 -O build adapters runners current-ci
	@$(MAKE) --no-print-directory check unit
	@$(MAKE) --no-print-directory -j2 -O python-test sanitize slurm

.PHONY: unit
unit: ## run the Go tests, which also run the C code
	# Many tests wait, so more packages are tested at a time than there are processors. 'make check' vets them.
	$(GO) test -p $$(($$(nproc) * 3 / 2)) -vet off -timeout 30m -skip '^TestPlantedDefects$$' ./...
	$(GO) test -vet off -run '^TestPlantedDefects$$' -v ./campaign # -v prints its table

.PHONY: python
python: ## build the Python package, a wheel in build/python
	@scripts/wheel

.PHONY: python-test
python-test: ## build and install the Python package, run its tests
	@scripts/test-python

.PHONY: check
check: ## check formats, imports and C warnings; vet, staticcheck, cppcheck, race detector
	@unformatted=$$(git ls-files "*.go" | xargs gofmt -l); \
		if [ -n "$$unformatted" ]; then echo "not gofmt-ed: $$unformatted"; exit 1; fi
	$(GO) vet ./...
	@scripts/imports
	@scripts/columns
	@scripts/format-c
	$(GO) tool staticcheck ./...
	@for file in $(C_FILES); do \
		$(CC) $(C_FLAGS) -O2 -Wall -Wextra -Werror -fsyntax-only $$file || exit 1; done
	@scripts/cppcheck $(C_FLAGS) $(C_FILES)
	# The packages that have goroutines, the slowest first.
	$(GO) test -vet off -race -short ./replay/... ./campaign/... ./dd/... ./gen/external ./internal/...

.PHONY: sanitize
sanitize: ## run the C code under ASan and UBSan
	@scripts/sanitize

.PHONY: slurm
slurm: build ## run scripts/cluster under a Slurm of this machine; kill and requeue a job, then merge
	@scripts/slurm

.PHONY: fuzz
fuzz: ## run every Go fuzz target for FUZZTIME, or all for FUZZFOR; adds to docs/measured/readers.md
	$(GO) run ./scripts/fuzz-readers -turn $(FUZZTIME) $(if $(FUZZFOR),-for $(FUZZFOR))

.PHONY: faults
faults: ## measure for MINUTES how many faults libraries with planted defects have; adds to docs/measured/faults.md
	# IPAFUZZ_GROUPS and IPAFUZZ_PROFILES choose libraries. -o keeps the symbols, by which crashes are told apart.
	IPAFUZZ_MINUTES=$(MINUTES) $(GO) test -o build/fault.test -count 1 -v -run 'TestMeasure$$' -timeout 0 ./campaign/fault
	IPAFUZZ_TRACES=6 IPAFUZZ_DEFECTS=1 $(GO) test -count 1 -v -run 'TestPlantedCauses' -timeout 60m ./campaign/diagnose
	IPAFUZZ_TRACES=10000 $(GO) test -count 1 -v -run 'TestVariantsKeepTheMeaning' -timeout 60m ./campaign/cause

.PHONY: defects
defects: build ## fuzz each planted defect of MODEL (qbf) for 10 s (hangs: 30 s) with two seeds; print when it was seen
	$(GO) run ./scripts/defects -model $(or $(MODEL),qbf)

.PHONY: mutants
mutants: build current ## compare with mobical on MORE (10) mutants of CaDiCaL; adds to docs/measured/mutants.md
	$(GO) run ./scripts/mutants -more $(or $(MORE),10)

.PHONY: families
families: ## compare the published families with their papers' figures; writes docs/measured/families.md
	IPAFUZZ_UPDATE=1 $(GO) test -count 1 -v -run TestPublishedFamilies ./cmd/ipafuzz/generate

.PHONY: bench
bench: ## measure speed, as ratios within one run
	$(GO) test -run '^$$' -bench . -benchtime 1s ./trace ./gen ./oracle
	$(GO) test -run '^$$' -bench 'Ways|KeepTraces|Workers' -benchtime 1x -timeout 60m ./campaign
	$(GO) test -run '^$$' -bench 'Burdened|Standstill' -benchtime 1x -timeout 60m ./campaign
	$(GO) test -run '^$$' -bench Power -benchtime 1x ./campaign
	$(GO) test -run '^$$' -bench 'Reduction|TwoWorkers' -benchtime 1x -timeout 60m ./campaign/shrink

.PHONY: performance
performance: adapters ## measure docs/measured/performance.md, minimization.md and proofs.md again (an hour)
	$(GO) run ./scripts/performance

.PHONY: format
format: ## format Go, C and C++ files as 'make check' wants them
	@git ls-files "*.go" | xargs gofmt -w
	@scripts/format-c --fix

.PHONY: figures
figures: ## print the measurements of the source; BEFORE=DIRECTORY adds a column
	@$(GO) run ./scripts/figures $(BEFORE) .

.PHONY: generate
generate: ## generate files from the API models
	$(GO) generate ./...

.PHONY: programs
programs: ## run each program of cexternal/programs on 500 formulas (some minutes)
	$(GO) test -count 1 -timeout 60m -v -run TestReadersAgree ./cexternal/programs -instances 500

.PHONY: soak
soak: build adapters ## run healthy targets for a million traces each (an hour); writes build/soak.md
	@scripts/soak

.PHONY: robustness
robustness: ## a campaign on each behaviour of the hostile library and one for LONG (10m); writes measured/robustness.md
	IPAFUZZ_UPDATE=1 $(GO) test -count 1 -v -timeout 3h -run '^TestHostile$$' ./cexternal/hostile/e2e
	IPAFUZZ_UPDATE=1 IPAFUZZ_LONG=$(or $(LONG),10m) $(GO) test -count 1 -v -timeout 24h -run '^TestLongRun$$' ./cmd/ipafuzz
	IPAFUZZ_KILLS=200 $(GO) test -count 1 -v -timeout 1h -run '^TestKilled' ./cmd/ipafuzz

.PHONY: overrun
overrun: build adapters runners ## print by how much campaigns exceed --time on a busy machine (measured/robustness.md)
	@scripts/overrun

.PHONY: long
long: ## count what a campaign takes in LONG (an hour), such as memory and threads; writes docs/measured/robustness.md
	IPAFUZZ_UPDATE=1 IPAFUZZ_LONG=$(or $(LONG),1h) $(GO) test -count 1 -v -timeout 24h -run '^TestLongRun$$' ./cmd/ipafuzz

.PHONY: mutate-oracle
mutate-oracle: ## run the oracle on 10,000 traces with altered answers; writes docs/measured/judge.md
	$(GO) test -count 1 -timeout 30m -run TestEveryWrongAnswerIsCaught ./oracle/mutation -full

.PHONY: clean
clean: ## remove build products
	rm -rf $(BUILD)
