# make run        make a virtual environment, install what the app needs, open the app
# make test       the same for the tests, and run them; TESTS=tests/search runs only these
# make test-all   also the tests marked `full`: slow ones, live comparisons, and random checks with more rounds
# make check      lint, formatting and types, of the page's scripts too (these need Node.js)
# make test-hard  kills, load, leaks and damaged files for MINUTES=10, as one table and in build/hard.json
# make test-server  two processes that translate under Ray Serve; installs requirements-server.txt
# make lock       write requirements.lock and requirements-server.lock: all packages and what they need, with checksums
#
# HOST and PORT say where the app listens: make run PORT=7861
# PYTHON names another interpreter, VENV another (or a ready) virtual environment.

PYTHON ?= python3
VENV ?= .venv
MINUTES ?= 10
TESTS =

VENV_PYTHON = $(VENV)/bin/python
RUN_STAMP = $(VENV)/installed-run
DEV_STAMP = $(VENV)/installed-dev
SERVER_STAMP = $(VENV)/installed-server
# Succeeds if all packages of a file are installed. It uses no index and no folder of packages, and takes 2 seconds.
ALL_INSTALLED = env -u PIP_FIND_LINKS PIP_CONFIG_FILE=/dev/null $(VENV_PYTHON) -m pip install --quiet --no-index
PIP_INSTALL = $(VENV_PYTHON) -m pip install --disable-pip-version-check
WORKERS = --numprocesses auto --dist loadfile  # tests/conftest.py chooses the number
CORE_STAMP = $(VENV)/compiled-core
ZIG = ziglang==0.15.1  # a C++ compiler as a package, where there is no other
NODE_STAMP = node_modules/.package-lock.json

.PHONY: run test test-all test-hard test-server check lock
.DELETE_ON_ERROR:

# Only from the command line: some shells and compilers set a variable HOST of their own.
ifeq ($(origin HOST),command line)
run: export PINPOINT_HOST = $(HOST)
endif

run: $(RUN_STAMP) $(CORE_STAMP)
	@exec $(VENV_PYTHON) -m app

test: $(DEV_STAMP) $(CORE_STAMP)
	$(VENV_PYTHON) -m pytest $(WORKERS) $(TESTS)

test-all: $(DEV_STAMP) $(CORE_STAMP)
	$(VENV_PYTHON) -m pytest --full $(WORKERS) $(TESTS)

test-hard: $(DEV_STAMP)
	$(VENV_PYTHON) -m tests.hard --minutes $(MINUTES)

test-server: $(SERVER_STAMP)
	$(VENV_PYTHON) -m pytest -m server tests/remote

check: $(DEV_STAMP) $(NODE_STAMP)
	$(VENV_PYTHON) -m ruff check .
	$(VENV_PYTHON) -m ruff format --check .
	$(VENV_PYTHON) -m mypy
	npm run --silent check

lock: $(DEV_STAMP)
	$(VENV)/bin/uv pip compile requirements.txt --output-file requirements.lock --universal --generate-hashes \
		--python-version 3.11 --no-header --no-annotate --no-emit-index-url
	$(VENV)/bin/uv pip compile requirements.txt requirements-server.txt --constraint requirements.lock \
		--output-file requirements-server.lock --universal --generate-hashes --python-version 3.11 --no-header \
		--no-annotate --no-emit-index-url

# A stamp is touched only after a whole install: an interrupted one starts again, a finished one is not repeated.
$(RUN_STAMP): requirements.txt $(VENV_PYTHON)
	@$(ALL_INSTALLED) -r requirements.txt 2>/dev/null || { \
		echo "Installing what the app needs; the first time takes a few minutes."; \
		$(PIP_INSTALL) -r requirements.txt; }
	@touch $@

# The compiled core of the engine. Without a compiler everything works, but slower; the next `make` tries again.
$(CORE_STAMP): $(wildcard engine/compiled/*.cpp engine/compiled/*.h engine/compiled/*/*.cpp engine/compiled/*/*.h) engine/compiled/build.py $(RUN_STAMP)
	@$(VENV_PYTHON) -c 'import sys; from engine.compiled.build import compiler; sys.exit(not compiler())' \
		|| $(PIP_INSTALL) $(ZIG) || true
	@if $(VENV_PYTHON) -m engine.compiled.build >/dev/null; then touch $@; fi

$(DEV_STAMP): requirements-dev.txt requirements-train.txt requirements-transformers.txt $(RUN_STAMP)
	@$(ALL_INSTALLED) -r requirements-dev.txt 2>/dev/null || { \
		echo "Installing what the tests need."; \
		$(PIP_INSTALL) -r requirements-dev.txt; }
	@touch $@

$(SERVER_STAMP): requirements-server.txt $(DEV_STAMP)
	@$(ALL_INSTALLED) -r requirements-server.txt 2>/dev/null || { \
		echo "Installing what several processes that translate need."; \
		$(PIP_INSTALL) -r requirements-server.txt; }
	@touch $@

$(NODE_STAMP): package.json package-lock.json
	@command -v npm >/dev/null 2>&1 || { \
		echo "The checks of the page's scripts need Node.js 18 or newer with npm, and there is none here." >&2; \
		echo "Install it (Debian, Ubuntu: apt install nodejs npm; macOS: brew install node) and try again." >&2; exit 1; }
	@echo "Installing what checks the page's scripts."
	npm ci --no-audit --no-fund
	@touch $@

# Debian and Ubuntu ship Python without ensurepip, which a virtual environment needs to have a pip.
# --clear only renews what was a virtual environment before, say one whose Python has been upgraded away.
$(VENV_PYTHON):
	@command -v $(PYTHON) >/dev/null 2>&1 || { \
		echo "Pinpoint needs Python 3.11 or newer, and there is no '$(PYTHON)' here." >&2; \
		echo "Install it (Debian, Ubuntu: apt install python3 python3-venv; macOS: brew install python)," >&2; \
		echo "or name yours: make $(MAKECMDGOALS) PYTHON=/path/to/python3.11" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "Pinpoint needs Python 3.11 or newer; '$(PYTHON)' is $$($(PYTHON) -V 2>&1)." >&2; \
		echo "If a newer one is installed, name it: make $(MAKECMDGOALS) PYTHON=python3.11" >&2; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { \
		echo "'$(PYTHON)' cannot make virtual environments: its venv module is not installed." >&2; \
		echo "Install it (Debian, Ubuntu: apt install python3-venv) and try again." >&2; exit 1; }
	@echo "Making the virtual environment $(VENV)."
	@if [ -e $(VENV)/pyvenv.cfg ]; then $(PYTHON) -m venv --clear $(VENV); else $(PYTHON) -m venv $(VENV); fi
