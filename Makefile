# Everything a fresh machine needs is Python 3.11, pip, git, make and a package registry.
PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet --no-deps --no-compile
# A lock names a package's newest files; a mirror that lacks a folder of them is not worth a word.
QUIET := 2>&1 | { grep -v "WARNING: Location" || true; }
export PYTHONUTF8 := 1
# Each process would compile all that it imports again, which doubles the time of a run.
export PYTHONDONTWRITEBYTECODE :=
# What child processes import is compiled now: behind their walls nothing can be written any more.
COMPILE := $(BIN)/python -c \
  "import os; from flows.data.workers import compiled; from flows.sandbox.guest import warm; \
  warm(); os._exit(0)"
# And what a run imports, for those who run it where that variable is set, as in many containers.
REHEARSE := folder=$$(mktemp -d) && cd $$folder && \
  { $(CURDIR)/$(BIN)/python $(CURDIR)/run.py human=never >$$folder/out 2>&1 || true; } && rm -r $$folder
SHELL := /bin/bash
.SHELLFLAGS := -eo pipefail -c

.DEFAULT_GOAL := help
.PHONY: help demo test lint bench long kills pages lock clean

help:  ## what there is to make
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/'

.venv/pyvenv.cfg:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed: make PYTHON=...")'
	$(PYTHON) -m venv .venv

.venv/run.stamp: .venv/pyvenv.cfg requirements/run.lock pyproject.toml
	@echo "installing what the package needs (about a minute, once)"
	@$(PIP) -r requirements/run.lock $(QUIET)
	@$(PIP) --no-build-isolation --editable . $(QUIET)
	@$(COMPILE)
	@$(REHEARSE)
	@touch $@

.venv/dev.stamp: .venv/run.stamp requirements/dev.lock
	@echo "installing what the tests need"
	@$(PIP) -r requirements/dev.lock $(QUIET)
	@touch $@

demo: .venv/run.stamp  ## run the demo: an agent over real data, offline, you in the loop
	@$(BIN)/python run.py

lint: .venv/dev.stamp  ## style, types, and who may import whom
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# Tests wait for processes and servers for a good part of their time: more of them than cores.
WORKERS ?= $(shell $(PYTHON) -c 'import os; print(max(2, 3 * (os.cpu_count() or 2) // 2))')
test: lint  ## lint and all tests but the long ones
	$(BIN)/python -m pytest -m "not long" --numprocesses $(WORKERS) --dist worksteal

long: .venv/dev.stamp  ## the tests that take longer
	$(BIN)/python -m pytest -m long

KILLS ?= 1000
kills: .venv/dev.stamp  ## kill runs at every point of their record and go on: make kills KILLS=1000
	$(BIN)/python -m tests.kills --kills $(KILLS)

bench: .venv/dev.stamp  ## the costs of a step, also on disk, beside its peers; of resume, import, start; of data, sandbox
	$(BIN)/python benchmarks/step_cost.py
	$(BIN)/python benchmarks/durable_step.py
	$(BIN)/python benchmarks/journal_growth.py
	$(BIN)/python benchmarks/many_sessions.py
	$(BIN)/python benchmarks/resume_time.py
	$(BIN)/python benchmarks/import_cost.py
	$(BIN)/python benchmarks/first_step.py
	$(BIN)/python benchmarks/profile_csv.py --only flows,catalog,pandas
	$(BIN)/python benchmarks/sandbox_latency.py
	$(BIN)/python benchmarks/sandbox_runaway.py
	$(BIN)/python benchmarks/citations.py

pages: .venv/dev.stamp  ## write the pages and the schema that are made from the code
	$(BIN)/flows schema --out configs/schema/run.schema.json
	$(BIN)/python docs/generate.py

lock:  ## make the locks again from pyproject.toml (wants uv)
	uv pip compile --quiet --no-annotate --no-header --no-emit-index-url --python-version 3.11 \
	  --extra dev pyproject.toml --output-file requirements/dev.lock
	uv pip compile --quiet --no-annotate --no-header --no-emit-index-url --python-version 3.11 \
	  --extra build pyproject.toml --constraint requirements/dev.lock --output-file requirements/run.lock

clean:  ## remove what was installed and made
	rm -rf .venv runs .flows build dist
