# `make` alone lists the targets. Everything is installed into .venv, with the versions in constraints.txt.

SHELL := /bin/bash
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-print-directory

BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
LISTEN ?= 127.0.0.1:8080
ARGS ?=
JOBS ?= 2
BROWSER ?= yes
export PYTHON

.PHONY: help
help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

## Installing

# Both stamps are made again when a dependency, a pin or what is compiled changes.
.venv/.installed: pyproject.toml constraints.txt $(wildcard crunchpy/*.px[dy]) tools/compile_loops.py
	@if ! $(BIN)/python -c 'import sys; sys.exit(sys.version_info < (3, 12))' 2>/dev/null; then \
	    python=$$(sh tools/find_python.sh) || exit 1; \
	    echo "Making .venv with $$python"; \
	    "$$python" -m venv --clear .venv || exit 1; \
	fi
	@$(PIP) install -q -c constraints.txt pip hatchling editables cython setuptools
	@$(PIP) install -q -c constraints.txt --no-build-isolation -e .
	@$(BIN)/python -m crunchpy.loops
	@touch $@

.venv/.installed-test: .venv/.installed
	@$(PIP) install -q -c constraints.txt --no-build-isolation -e '.[test]'
	@touch $@

.PHONY: install install-test browser
install: .venv/.installed ## Make .venv with crunchpy in it
install-test: .venv/.installed-test

browser:
ifneq ($(BROWSER),no)
	@sh tools/install_browser.sh
endif

## Running

.PHONY: proxy
proxy: .venv/.installed ## Install and start the proxy on 127.0.0.1:8080 (LISTEN=HOST:PORT ARGS='--overlay DIR')
	@exec $(BIN)/crunchpy serve --listen $(LISTEN) $(ARGS)

## Checking

.PHONY: test lint types unit quick accept wheel-test
test: lint types browser unit wheel-test ## All that the build server checks

lint: .venv/.installed-test ## Format and rules, by ruff
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .

types: .venv/.installed-test ## Types, by mypy in strict mode
	@$(BIN)/mypy

not_browser := $(if $(filter no,$(BROWSER)), and not browser)
unit: .venv/.installed-test
	@$(BIN)/pytest -q -n $(JOBS) --dist loadfile -m "not soak$(not_browser)" $(ARGS)

# `quick` leaves out the tests that start processes or walk over the big test data.
QUICK := $(addprefix --ignore tests/,evaluation conversations extraction/test_method_properties.py) \
    $(addprefix --ignore tests/genre/test_,budget.py commands.py offline.py remembered.py) \
    $(addprefix --ignore tests/test_,addon.py cli.py never_in_the_way.py serve.py start.py workers.py)
quick: export CRUNCHPY_TEST_DATA := none
quick: .venv/.installed-test ## While working: rules and the fast tests, under 30 s
	@$(BIN)/ruff check -q .
	@$(BIN)/pytest -q -x -n $(JOBS) --dist loadfile -m "not soak and not slow and not browser" $(QUICK) $(ARGS)

accept: .venv/.installed-test ## Rewrite the expectations of the cases, for you to read in `git diff`
	@$(BIN)/pytest -q tests/test_cases.py --accept $(ARGS)
	@git --no-pager diff --stat -- tests/cases

wheel-test: .venv/.installed-test ## Build the wheel, install it elsewhere and filter a page with it
	@$(BIN)/python -m tools.wheel_test

## Measuring

# The test data: a folder `shared` beside the checkout, or where CRUNCHPY_TEST_DATA says (as in tests/shared.py).
DATA := $(or $(CRUNCHPY_TEST_DATA),$(firstword $(wildcard ../shared ../../shared)))

.PHONY: data eval bench soak largest docs-pictures
data:
	@test -d "$(DATA)/packages" || { echo "The test data is not here: put the folder shared beside the checkout," \
	    "or say where it is: make CRUNCHPY_TEST_DATA=/its/folder ..."; exit 1; }

eval: data .venv/.installed-test ## Measure what the default keeps and takes, by type of page (ARGS='--again')
	@$(BIN)/python -m crunchpy.evaluation.kept $(DATA)/packages/wcxb
	@$(BIN)/python -m crunchpy.evaluation.kept $(DATA)/packages/trafilatura
	@$(BIN)/crunchpy eval $(DATA)/packages/wcxb $(DATA)/packages/trafilatura --methods plain,crunch --words plain \
	    --split page_type --jobs $(JOBS) --out results/eval $(ARGS)
	@$(BIN)/crunchpy genre eval --inputs $(DATA)

bench: data .venv/.installed-test ## Measure speed and memory, beside plain mitmproxy and Privoxy
	@$(BIN)/python -m bench $(ARGS)

docs-pictures: data browser .venv/.installed-test ## Make the pictures in docs/ again, before and after
	@$(BIN)/python -m docs.pictures $(ARGS)

soak: .venv/.installed-test ## Fuzzing and memory, over minutes
	@$(BIN)/pytest -q -m soak $(ARGS) || { status=$$?; [ $$status = 5 ] && echo 'No test is marked soak.'; exit $$status; }

largest: .venv/.installed ## The ten largest files and functions
	@$(BIN)/python -m tools.largest

## Writing

.PHONY: new-plugin format
new-plugin: .venv/.installed ## Start a plugin: make new-plugin NAME=share_bars
	@$(BIN)/python -m tools.new_plugin "$(NAME)"

format: .venv/.installed-test ## Let ruff format everything and mend what it can
	@$(BIN)/ruff check -q --fix . || true
	@$(BIN)/ruff format .

.PHONY: clean
clean: ## Remove .venv and everything that can be made again
	@rm -rf .venv build dist .coverage htmlcov .hypothesis .mypy_cache .pytest_cache .ruff_cache
