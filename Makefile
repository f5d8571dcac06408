# `make run` and `make test` do all the set-up themselves; they need Python 3.11+ and make, nothing else.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/ready
BROWSER := $(VENV)/browser
WARM := $(VENV)/warm
PIP := $(BIN)/python -m pip --disable-pip-version-check

# What `make run` passes on, e.g. make run ARGS="--minutes 5 --seed 3 --run runs/third"
ARGS ?=

.PHONY: run test test-all bench lint format warmup clean
.DEFAULT_GOAL := run

run: $(READY)
	$(BIN)/eightfold train quick --page $(ARGS)

test: $(WARM) $(BROWSER)
	$(BIN)/python -m pytest -m "not slow" -n auto

test-all: $(WARM) $(BROWSER)
	$(BIN)/python -m pytest -n auto

bench: $(READY)
	-$(PIP) install --quiet --constraint constraints.txt open_spiel
	-$(PIP) install --quiet --constraint constraints.txt mctx
	$(BIN)/eightfold bench

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(READY)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

warmup: $(READY)
	$(BIN)/eightfold warmup

# torch comes first and by its exact version, so that nothing else can pull in another build of it.
$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; v = sys.version_info; sys.exit(v < (3, 11) and "Eightfold needs Python 3.11 or newer, this is %d.%d: make PYTHON=python3.12" % v[:2])'
	$(PIP) --version > /dev/null 2>&1 || $(PYTHON) -m venv --clear $(VENV)
	$(PIP) install --quiet --constraint constraints.txt torch
	$(PIP) install --quiet --constraint constraints.txt --editable ".[dev]"
	touch $(READY)

# Two processes of tests would compile what they both need twice. `make run` compiles what it needs with the page open.
$(WARM): $(READY)
	$(BIN)/eightfold warmup
	touch $(WARM)

# The page is tested in Chromium. Where none can be had, those tests are skipped and say so.
$(BROWSER): $(READY)
	$(BIN)/python tests/web/browsing.py
	touch $(BROWSER)

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis
