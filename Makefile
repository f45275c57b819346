# Everything starts here. Needs python3 (3.11 to 3.13) with venv, git and a way to a Python package registry;
# on a bare Debian: apt-get install -y make git python3-venv

PYTHON ?= python3
UV := .tools/bin/uv
PY := .venv/bin/python
AGUI := tests/parts/agui/node_modules/.installed
ELEMENT := tests/parts/deep_chat/node_modules/.installed
SDK := tests/parts/sdk/node_modules/.installed
AI_SDK := tests/parts/ai_sdk/node_modules/.installed
CLIENTS := tests/parts/clients/node_modules/.installed
MCP_APPS := tests/parts/mcp_apps/node_modules/.installed
SCHEMATHESIS := .tools/schemathesis/.installed
export UV_PYTHON_DOWNLOADS := never
export UV_NO_PROGRESS := 1
# Where the system knows certificates (a company's proxy, say), uv believes them as pip does.
ifneq ($(wildcard /etc/ssl/certs/ca-certificates.crt),)
export UV_SYSTEM_CERTS ?= 1
endif
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# A second start takes two seconds because the first one kept its bytecode.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: run test conformance talks check bytecode check-format check-lint check-types check-imports check-javascript format bench profile e2e chaos attacks mutants cover lock parts clean
.DEFAULT_GOAL := run

run: .venv/.runtime ## Start Loopwire: web, worker and whatever is not configured (Redis, database, model).
	@exec $(PY) -m server serve

test: parts ## What has to hold before a change is in; `make test SEED=new` runs its files in a random order.
	@$(MAKE) --no-print-directory --jobs=2 check bytecode
	$(PY) -m pytest -n 6 --dist loadfile --no-loadscope-reorder --durations=20 $(if $(SEED),--order-seed $(SEED))

conformance: parts $(CLIENTS) $(SCHEMATHESIS) ## The same, over Redis and PostgreSQL too what needs no second run, and more clients of others.
	$(PY) -m pytest -n 6 --dist loadfile --no-loadscope-reorder --durations=20 --whole $(if $(SEED),--order-seed $(SEED))

talks: .venv/.dev ## All words of sellers: the demo model, the judge of answers and the reading of texts, each case.
	$(PY) -m pytest -n 3 --dist loadfile --no-loadscope-reorder --whole tests/unit/demo tests/unit/loopos tests/unit/text_reading

check: check-format check-lint check-types check-imports check-javascript ## All but the tests; `make -k check` tells everything at once.

bytecode: .venv/.bytecode

.venv/.bytecode: .venv/.dev # Compiled once: six processes that collect at once would compile everything six times.
	@$(PY) -m pytest --collect-only -qq >/dev/null 2>&1 || true
	@touch $@

check-format: .venv/.dev
	@$(PY) -m ruff format --check --quiet . || { $(PY) -m ruff format --check .; exit 1; }

check-lint: .venv/.dev
	@$(PY) -m ruff check --quiet .

check-types: .venv/.dev
	@$(PY) -m mypy

check-imports: .venv/.dev
	@PYTHONPATH=sdk/python/src $(PY) -c "from importlinter.cli import lint_imports_command as check; check()" --no-logo

check-javascript: .venv/.dev
	@scripts/check-javascript

format: .venv/.dev ## Write the files as check-format wants them, and fix what the linter can.
	$(PY) -m ruff format .
	$(PY) -m ruff check --fix .

e2e: parts ## Only the tests with a browser.
	$(PY) -m pytest tests/e2e

bench: .venv/.dev ## Every claim about speed, as a ratio against a floor of the same run.
	$(PY) -m bench
	$(PY) -m bench.bus
	$(PY) -m bench.fleet
	$(PY) -m bench.long
	$(PY) -m bench.page
	$(PY) -m bench.requests

profile: .venv/.dev ## The ten most expensive functions while text streams; `make profile SCENARIO=runs` for whole runs.
	$(PY) -m bench.profiling $(SCENARIO)

chaos: parts ## Faults without end on a fleet: `make chaos MINUTES=30 SEED=7` (5 minutes, a new seed).
	$(PY) -m tests.attacks $(if $(SEED),--seed $(SEED))
	$(PY) -m tests.chaos --minutes $(or $(MINUTES),5) $(if $(SEED),--seed $(SEED))

attacks: parts ## Every attack of one client on the others: `make attacks MINUTES=60 SEED=7` (once through, a new seed).
	$(PY) -m tests.attacks $(if $(MINUTES),--minutes $(MINUTES)) $(if $(SEED),--seed $(SEED))

mutants: parts ## Single faults that no test notices: `make mutants N=100 SEED=7` (a new seed); fails above 8 of 100.
	$(PY) -m tests.mutants $(if $(N),--count $(N)) $(if $(SEED),--seed $(SEED))

cover: parts ## The whole suite with branch coverage, in the children too.
	$(PY) -m pytest --cov --cov-report=term

lock: .tools/.ready ## Write the hashed locks again from pyproject.toml; `make lock UPGRADE=1` takes newer versions.
	scripts/lock $(if $(UPGRADE),--upgrade)

parts: .venv/.dev $(AGUI) $(ELEMENT) $(SDK) $(AI_SDK) $(MCP_APPS) # What only other packages have: a browser, a redis-server. Skipped aloud where not allowed.
	@scripts/install-test-parts

$(AGUI) $(ELEMENT) $(SDK) $(AI_SDK) $(CLIENTS) $(MCP_APPS): tests/parts/%/node_modules/.installed: tests/parts/%/package-lock.json | .venv/.dev
	@scripts/npm tests/parts/$*

$(SCHEMATHESIS): requirements-conformance.lock | .tools/.ready
	@$(UV) venv --quiet --clear --python .tools/bin/python $(@D)
	@$(UV) pip sync --quiet --require-hashes --python $(@D)/bin/python requirements-conformance.lock
	@touch $@

clean: ## Remove what make and the checks made; data/ stays.
	rm -rf .tools .venv .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis htmlcov test-results \
		tests/parts/agui/node_modules tests/parts/deep_chat/node_modules tests/parts/sdk/node_modules tests/parts/ai_sdk/node_modules tests/parts/clients/node_modules tests/parts/mcp_apps/node_modules

.tools/.ready: requirements-tools.lock
	@$(PYTHON) scripts/check-python
	@$(PYTHON) -m venv --clear .tools
	@.tools/bin/python -m pip install --quiet --require-hashes --requirement requirements-tools.lock
	@touch $@

.venv/bin/python: | .tools/.ready
	@$(UV) venv --quiet --clear --python .tools/bin/python .venv

# Once the tools of development are in, they stay in: `make run` after `make test` removes nothing.
.venv/.runtime: requirements.lock | .tools/.ready .venv/bin/python
	@lock=requirements.lock; [ ! -e .venv/.dev ] || lock=requirements-dev.lock; \
	$(UV) pip sync --quiet --require-hashes --python $(PY) $$lock
	@touch $@

.venv/.dev: requirements-dev.lock requirements.lock | .tools/.ready .venv/bin/python
	@$(UV) pip sync --quiet --require-hashes --python $(PY) requirements-dev.lock
	@touch .venv/.runtime $@
