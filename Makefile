# Two commands: `make demo` and `make test`. `make help` lists the rest.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
export GRAPHSVC_HOME ?= $(CURDIR)/.demo

.PHONY: help demo down test test-containers test-long check docs site format audit lock clean

help: ## List the targets
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 14

demo: $(VENV)/.installed ## Start Neo4j and the service, load the demo world, ask a question
	@$(BIN)/graphsvc demo

down: $(VENV)/.installed ## Stop what `make demo` started
	@$(BIN)/graphsvc down

test: $(VENV)/.installed-dev ## The whole test suite, in two processes with a real Neo4j each
	@env -u GRAPHSVC_HOME $(BIN)/python -m pytest -q -m "not long and not containers" -n 2 --dist loadfile --durations 25 $(ARGS)

test-containers: $(VENV)/.installed-dev ## Images and the compose stack; starts an engine where none runs (Debian, root)
	@docker/engine.sh
	@env -u GRAPHSVC_HOME $(BIN)/python -m pytest -q -m containers tests/containers $(ARGS); \
	  status=$$?; docker/engine.sh stop; exit $$status

test-long: $(VENV)/.installed-dev ## The long matrix
	@env -u GRAPHSVC_HOME $(BIN)/python -m pytest -q -m "not containers" $(ARGS)

check: $(VENV)/.installed-dev ## Format, lint, types
	@$(BIN)/ruff format --check graphsvc tests bench
	@$(BIN)/ruff check graphsvc tests bench
	@$(BIN)/mypy
	@PYTHONPATH=. $(BIN)/python docs/generate.py --check

docs: $(VENV)/.installed-dev ## Write the reference pages that are made from the code
	@PYTHONPATH=. $(BIN)/python docs/generate.py

site: $(VENV)-docs/.installed ## Build the documentation as a site in build/site; a broken reference fails
	@$(VENV)-docs/bin/python -m sphinx -q -W --keep-going -b html docs build/site

format: $(VENV)/.installed-dev ## Format the code
	@$(BIN)/ruff format graphsvc tests bench

audit: $(VENV)/.installed-dev ## Known weaknesses of the locked packages, their licences, and an SBOM (needs the network)
	@$(BIN)/pip-audit -r requirements/base.txt --require-hashes --disable-pip --progress-spinner off
	@$(BIN)/pip-audit -r requirements/base.txt --require-hashes --disable-pip --progress-spinner off \
	  --format cyclonedx-json --output sbom.json
	@$(BIN)/pip-licenses --order=license

lock: ## Resolve the dependencies again (needs uv)
	uv pip compile pyproject.toml --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
	  --no-emit-find-links --no-annotate --no-header -q -o requirements/base.txt
	uv pip compile pyproject.toml --group dev --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
	  --no-emit-find-links --no-annotate --no-header -q -o requirements/dev.txt
	uv pip compile --group docs --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
	  --no-emit-find-links --no-annotate --no-header -q -o requirements/docs.txt

clean: ## Remove the environment and the demo's data
	rm -rf $(VENV) .demo

$(VENV)/.installed: requirements/base.txt pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "Installing the packages (once)"
	@$(BIN)/python -m pip install -q --disable-pip-version-check --require-hashes -r requirements/base.txt
	@$(BIN)/python -m pip install -q --disable-pip-version-check --no-deps --no-build-isolation -e . 2>/dev/null || \
	  $(BIN)/python -m pip install -q --disable-pip-version-check --no-deps -e .
	@touch $@

$(VENV)/.installed-dev: requirements/dev.txt $(VENV)/.installed
	@$(BIN)/python -m pip install -q --disable-pip-version-check --require-hashes -r requirements/dev.txt
	@touch $@

$(VENV)-docs/.installed: requirements/docs.txt
	@test -x $(VENV)-docs/bin/python || $(PYTHON) -m venv $(VENV)-docs
	@$(VENV)-docs/bin/python -m pip install -q --disable-pip-version-check --require-hashes -r requirements/docs.txt
	@touch $@
