# Needs only make and Python 3.11 or newer. Everything is installed into .venv, once, with the versions of constraints.txt.
#
#   make run      start the program; ARGS='-p "say hello"' is handed to it
#   make test     the whole suite, fast tests first
#   make check    lint, format, sizes, layers, types; no tests
#   make bench    the measurements, each against its bound
#   make screenshots   pictures of the real program into screenshots/; PNG where Chromium is found

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# For installing and for building; pip and uv each know two names for it. uv shall trust what the machine trusts, as pip does.
PINNED := env PIP_CONSTRAINT=constraints.txt PIP_BUILD_CONSTRAINT=constraints.txt \
	UV_CONSTRAINT=constraints.txt UV_BUILD_CONSTRAINT=constraints.txt UV_SYSTEM_CERTS=1
# What is started here may itself run make, in another project: nothing of ours is handed on.
APART := env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL -u MAKEOVERRIDES -u ARGS
# Some machines forbid Python to keep what it compiled; then every start compiles again.
KEEP_BYTECODE := env -u PYTHONDONTWRITEBYTECODE

.PHONY: run test check bench screenshots clean
.DELETE_ON_ERROR:

run: $(VENV)/.installed-run
	@$(APART) $(BIN)/agent-tui $(ARGS)

test: $(VENV)/.installed-dev
	@$(APART) $(BIN)/python -m pytest -n auto --dist loadgroup tests $(ARGS)

check: $(VENV)/.installed-dev
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/python tests/sizes.py
	@$(BIN)/lint-imports --no-cache
	@PYRIGHT_PYTHON_IGNORE_WARNINGS=1 $(BIN)/pyright --pythonpath $(BIN)/python

bench: $(VENV)/.installed-dev
	@$(KEEP_BYTECODE) $(BIN)/python -m benchmarks $(ARGS)

screenshots: $(VENV)/.installed-dev
	@$(BIN)/python -m tests.pictures $(ARGS)

clean:
	rm -rf $(VENV) dist build

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo 'agent-tui needs Python 3.11 or newer: make PYTHON=/path/to/python3.11 names another one.' >&2; exit 1; }
	@if command -v uv >/dev/null; \
	then uv venv --quiet --allow-existing --python "$$(command -v $(PYTHON))" $(VENV); \
	else $(PYTHON) -m venv $(VENV); fi

# $(1): what to install. uv is faster where it is there; pip does the same.
define install
	@echo 'Installing into $(VENV), this once.'
	@if command -v uv >/dev/null; \
	then VIRTUAL_ENV=$(VENV) $(PINNED) uv pip install --quiet --compile-bytecode --editable '$(1)'; \
	else $(PINNED) $(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '$(1)'; fi
	@$(KEEP_BYTECODE) $(BIN)/python -m compileall -q -x agent/tour/workspace tools agent tui
	@touch $@
endef

$(VENV)/.installed-run: pyproject.toml constraints.txt bin/agent-tui $(BIN)/python
	$(call install,.)

$(VENV)/.installed-dev: pyproject.toml constraints.txt bin/agent-tui $(BIN)/python
	$(call install,.[dev])
	@touch $(VENV)/.installed-run
