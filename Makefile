# What a newcomer needs: make demo, make test. Every target makes .venv by itself.
#   PYTHON=python3.12   another interpreter            PORT=8001 HOST=0.0.0.0   another address
#   SERVE=0             demo ends after the table      DATA_DIR=/some/folder    another data folder (default ./var)

RUN := .venv/bin/python
TESTS ?= tests

.PHONY: help demo serve test lint format bench lock clean-var

help:
	@echo "make demo    from nothing to a served demo with its recommendations (SERVE=0: end after the table)"
	@echo "make serve   web, worker and scheduler without loading anything"
	@echo "make test    every test; TESTS=tests/engine for a part"
	@echo "make lint    ruff, mypy, import-linter, djlint"
	@echo "make format  let ruff format the code"
	@echo "make bench   measure the engine and the intake"
	@echo "make lock    compile the lock files anew"

demo: .venv/installed-requirements.lock
	@$(RUN) manage.py demo $(if $(filter 0,$(SERVE)),--no-serve)

serve: .venv/installed-requirements.lock
	@$(RUN) manage.py migrate --verbosity 0
	@$(RUN) manage.py serve

test: .venv/installed-requirements-dev.lock
	$(RUN) -m pytest --durations=10 $(TESTS)

lint: .venv/installed-requirements-dev.lock
	$(RUN) -m ruff check .
	$(RUN) -m ruff format --check .
	$(RUN) -m mypy
	$(RUN) -c "from importlinter.cli import lint_imports_command; lint_imports_command()"
	$(RUN) -m djlint --lint --quiet templates

format: .venv/installed-requirements-dev.lock
	$(RUN) -m ruff check --fix .
	$(RUN) -m ruff format .

bench: .venv/installed-requirements-dev.lock
	$(RUN) -m pytest -q -s -p no:randomly tests/benchmarks/bench_engine.py tests/benchmarks/bench_portfolio.py tests/benchmarks/bench_intake.py \
		tests/benchmarks/bench_imports.py tests/benchmarks/bench_runs.py

lock: .venv/installed-requirements-dev.lock
	$(RUN) -m uv pip compile --quiet --universal --generate-hashes --no-emit-index-url --no-header \
		pyproject.toml -o requirements.lock
	$(RUN) -m uv pip compile --quiet --universal --generate-hashes --no-emit-index-url --no-header \
		pyproject.toml --group dev -o requirements-dev.lock

.venv/installed-%: % .ci/make_venv
	@.ci/make_venv $<
