# Dowse, from a bare machine with Python 3.11+, git and make. `make` alone lists the targets.
# Another interpreter: make test PYTHON=python3.12. More arguments for pytest: make test PYTEST_ARGS="-k frontier".

PYTHON ?= python3
PYTEST_ARGS ?=
CORPORA ?=
FIGURES ?=
FUZZ_ARGS ?=
BIN := .venv/bin
STAMP := .venv/.stamp
EXTRAS := dev,parquet,plots,train,embed,objects,databases,cluster

.DEFAULT_GOAL := help
.PHONY: help test lint demo bench figures figures-check soak soak-memory fuzz wheel clean

# One line a step; what the step printed is shown only when it fails.
define step
	@printf '%-15s' '$(1)'; \
	if out=$$($(2) 2>&1); then echo ok; else echo FAILED; printf '%s\n' "$$out" >&2; exit 1; fi
endef

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-13s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

test: lint  ## lint, types, import directions, then all tests
	@$(BIN)/pytest -n 2 $(PYTEST_ARGS)

lint: $(STAMP)  ## ruff, mypy and import-linter
	$(call step,ruff check,$(BIN)/ruff check --quiet .)
	$(call step,ruff format,$(BIN)/ruff format --check --quiet .)
	$(call step,mypy,$(BIN)/mypy --no-error-summary)
	$(call step,lint-imports,$(BIN)/lint-imports)

demo: $(STAMP)  ## crawl the built-in demo web, into demo-crawl/
	@$(BIN)/dowse demo --out demo-crawl

bench: $(STAMP)  ## the benchmarks that need nothing but this machine (bench/ has more)
	@$(BIN)/python -m bench.frontier --most 1000000 --no-resume
	@$(BIN)/python -m bench.store

# The figures run from this clone's sources; CORPORA is the folder with the recorded webs, FIGURES names some of them.
figures: $(STAMP)  ## measure the tables and pictures of docs/ anew (CORPORA=path/to/data FIGURES="name name")
	@PYTHONPATH=src $(BIN)/python -m bench.figures $(if $(CORPORA),--corpora '$(CORPORA)') $(FIGURES)

figures-check: $(STAMP)  ## do docs/ show what was measured? Also tells which figures are old
	@PYTHONPATH=src $(BIN)/python -m bench.figures --check

soak: $(STAMP)  ## the slow runs that `make test` leaves out
	@$(BIN)/pytest -m soak --ignore tests/engine/test_memory_soak.py $(PYTEST_ARGS)

soak-memory: $(STAMP)  ## an hour of an endless web, watching memory (DOWSE_SOAK_MINUTES)
	@$(BIN)/pytest -m soak -s tests/engine/test_memory_soak.py $(PYTEST_ARGS)

fuzz: $(STAMP)  ## hostile input for every parser, the compiled core under sanitizers (FUZZ_ARGS)
	@$(BIN)/python -m fuzz $(FUZZ_ARGS)

wheel: $(STAMP)  ## build a wheel into dist/, install it into a new environment elsewhere, and try it there
	@rm -rf dist build/lib* build/temp* build/bdist*
	$(call step,build,$(BIN)/python -m build)
	@set -e; place=$$(mktemp -d); trap 'rm -rf "$$place"' EXIT; wheel=$$(ls "$(CURDIR)"/dist/*.whl); \
	$(BIN)/python -m venv "$$place/env"; \
	"$$place/env/bin/python" -m pip install --quiet --disable-pip-version-check "$$wheel"; \
	cp tests/wheel/check.py "$$place"; cd "$$place"; env/bin/python check.py

clean:  ## remove caches, builds and demo output (not .venv)
	@rm -rf build dist demo-crawl .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	@find src tests bench fuzz -type d -name __pycache__ -prune -exec rm -rf {} +

# The stamp is newer than these when everything they ask for is installed, and the compiled core built.
$(STAMP): pyproject.toml setup.py $(wildcard src/core/*)
	@command -v $(PYTHON) >/dev/null || { echo 'No $(PYTHON) here: install Python 3.11 or newer (Debian: apt install python3 python3-venv), or name one: make PYTHON=python3.12' >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo 'Dowse needs Python 3.11 or newer, and $(PYTHON) is older: name another, as in make PYTHON=python3.12' >&2; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { echo '$(PYTHON) cannot make virtual environments: install its venv package (Debian: apt install python3-venv)' >&2; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv || { rm -rf .venv; exit 1; }
	$(call step,install,$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[$(EXTRAS)]')
	@touch $@
