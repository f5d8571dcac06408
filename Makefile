# `make run` and `make test` do all the set-up themselves; they need Python 3.11+ and make, nothing else.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/ready
TOOLS := $(VENV)/tools
BROWSER := $(VENV)/browser
WARM := $(VENV)/warm
PIP := $(BIN)/python -m pip --disable-pip-version-check
# Byte code is written for what is imported, when it is: pip would spend as long on it as on all the rest.
INSTALL := $(PIP) install --quiet --no-compile --prefer-binary --constraint constraints.txt
unexport PYTHONDONTWRITEBYTECODE

# What `make run` passes on, e.g. make run ARGS="--minutes 5 --seed 3 --run runs/third"
ARGS ?=

.PHONY: run prepare test test-all test-gpu bench lint format warmup clean
.DEFAULT_GOAL := run

run: $(READY)
	$(BIN)/eightfold train quick --page $(ARGS)

# All that the tests need.
prepare: $(WARM) $(BROWSER)

test: prepare
	$(BIN)/python -m pytest -m "not slow" -n auto --dist worksteal

test-all: prepare
	$(BIN)/python -m pytest -n auto --dist worksteal

# On a machine with an NVIDIA GPU. Several processes share it, so not one for every core.
test-gpu: $(TOOLS)
	$(INSTALL) --editable ".[cuda]"
	$(BIN)/python -m pytest -m gpu -vv -n 4 --dist worksteal

bench: $(TOOLS)
	-$(INSTALL) open_spiel
	-$(INSTALL) mctx
	$(BIN)/eightfold bench

lint: $(TOOLS)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(TOOLS)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

warmup: $(READY)
	$(BIN)/eightfold warmup

# What `make run` needs: no linters, no browser. The kernels are compiled while PyTorch is installed, and need only the
# first line. torch comes by its exact version before all that asks for it, so that nothing pulls in another build of it.
$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; v = sys.version_info; sys.exit(v < (3, 11) and "Eightfold needs Python 3.11 or newer, this is %d.%d: make PYTHON=python3.12" % v[:2])'
	$(PIP) --version > /dev/null 2>&1 || $(PYTHON) -m venv --clear $(VENV)
	$(INSTALL) numba rich typer
	PYTHONPATH=src $(BIN)/python -m eightfold warmup gomoku --training & kernels=$$!; \
	$(INSTALL) torch && $(INSTALL) --editable ".[train,web]" && wait $$kernels || { kill $$kernels 2> /dev/null; exit 1; }
	touch $(READY)

$(TOOLS): $(READY)
	$(INSTALL) --editable ".[dev]"
	touch $(TOOLS)

# Two processes of tests would compile what they both need twice. With `make --jobs` this goes on beside the tools.
$(WARM): $(READY)
	PYTHONPATH=src $(BIN)/python -m eightfold warmup
	touch $(WARM)

# The page is tested in Chromium. Where none can be had, those tests are skipped and say so.
$(BROWSER): $(TOOLS)
	$(BIN)/python tests/web/browsing.py
	touch $(BROWSER)

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis
