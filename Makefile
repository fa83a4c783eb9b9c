# Two commands are all a newcomer needs: `make demo` and `make test`.
.PHONY: setup demo test apiserver lock goldens bench clean

setup: ## install everything into .venv/ and .tools/ (offline and instant when nothing changed)
	@tools/setup.sh

demo: setup ## compile the shipped sites, ingest the sample evidence, print the drift report
	@tools/demo.sh

test: setup ## run the whole test suite
	@.venv/bin/python -m pytest -n auto -q $(ARGS)

apiserver: setup ## build a real API server for the tests that want one (minutes, once)
	@tools/apiserver.sh

goldens: setup ## refresh every golden file
	@.venv/bin/python -m pytest -q --refresh-goldens $(ARGS)

bench: setup ## measure, as ratios in one run
	@.venv/bin/python -m bench

lock: setup ## compile the requirement files anew
	@tools/lock.sh

clean: ## remove what setup and demo made
	rm -rf .venv .tools .demo
