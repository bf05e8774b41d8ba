# `make test` checks the project, skipping tests whose tools are missing; `make test-all` skips nothing.
CARGO ?= cargo
RUSTC ?= rustc
# The NEON backend compiles only for this target.
ARM = aarch64-unknown-linux-gnu

# Installs a tool. Tools run only for seconds, so optimising them does not pay. Crates that they share are built once.
INSTALL = CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_OPT_LEVEL=0 \
    $(CARGO) install --locked --target-dir target/tools

.PHONY: test test-all torture fuzz fuzz-build corpus asan coverage coverage-tool light api api-update api-tool deny \
    deny-tool advisories workflows workflows-tool mutants mutants-tool sbom-tool lint python bench bench-peers sets \
    screenshot

# If a browser, strace or Python is missing, skips the tests that need it, with a warning. Always skips Spark and Ray.
test:
	@status=0; set -x; \
	$(CARGO) test --locked --no-fail-fast || status=1; \
	$(MAKE) python || status=1; \
	exit $$status

# Skips nothing. Installs missing tools with apt-get if run as root, or lists them; Python packages go to target/python.
test-all:
	tests/install-tools
	BATCHDOKU_BROWSER=demanded BATCHDOKU_STRACE=demanded $(MAKE) test PYTHON=demanded SPARK=demanded

# The long form of the PROMISES.md tests: pipes 200 million puzzles and kills each kind of run 100 times. Takes over an
# hour.
torture:
	BATCHDOKU_TORTURE=1 $(CARGO) test --locked --no-fail-fast --release --test torture --test it -- a_long_pipe resume:: interruption::

# Fuzzing and the address sanitizer need flags that a stable compiler accepts only with RUSTC_BOOTSTRAP, and libFuzzer
# needs a C++ compiler. cargo-fuzz passes the same flags; `asan` uses them, too, so crates are built only once.
HOST = $(shell $(RUSTC) -vV | sed -n 's/^host: //p')
SANITIZED = RUSTC_BOOTSTRAP=1 RUSTFLAGS="-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
-Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
-Cllvm-args=-sanitizer-coverage-trace-compares --cfg fuzzing -Zsanitizer=address" $(CARGO)
SANITIZED_FLAGS = --locked --target $(HOST) --target-dir target/sanitized
TARGETS = $(notdir $(basename $(wildcard fuzz/fuzz_targets/*.rs)))
FUZZ_SECONDS = 3600
FUZZ_BOUND = -max_total_time=$(FUZZ_SECONDS)
# Leak detection is off, because threads that are still shutting down when a target finishes look like leaks.
FUZZ_FLAGS = -timeout=60 -rss_limit_mb=4096 -detect_leaks=0 -print_final_stats=1

# Starts from the corpus and writes new inputs to target/corpus (fuzz/README.md). `make -j2 fuzz` runs two targets at a
# time; `make fuzz-solve` runs a single target.
FUZZED = $(TARGETS:%=fuzz-%)
.PHONY: $(FUZZED)
fuzz: $(FUZZED)
$(FUZZED): fuzz-%: fuzz-build
	@mkdir -p target/corpus/$*
	@target/sanitized/$(HOST)/debug/fuzz-$* $(FUZZ_FLAGS) $(FUZZ_BOUND) \
	    -artifact_prefix=target/corpus/$*- target/corpus/$* fuzz/corpus/$* >target/corpus/$*.log 2>&1 || \
	    { tail -n 60 target/corpus/$*.log; exit 1; }
	@echo "$*:" $$(grep -oE '(INITED|DONE) +cov: [0-9]+|number_of_executed_units: [0-9]+' target/corpus/$*.log)

fuzz-build:
	$(SANITIZED) build $(SANITIZED_FLAGS) -p batchdoku-fuzz

# Rebuilds fuzz/corpus from itself and target/corpus, keeping the fewest and smallest files that cover the same code.
corpus: fuzz-build
	@set -e; for target in $(TARGETS); do \
	    rm -rf target/corpus/merged; mkdir -p target/corpus/merged target/corpus/$$target fuzz/corpus/$$target; \
	    target/sanitized/$(HOST)/debug/fuzz-$$target -set_cover_merge=1 -use_counters=0 -max_len=600 $(FUZZ_FLAGS) \
	        target/corpus/merged fuzz/corpus/$$target target/corpus/$$target >target/corpus/$$target.log 2>&1; \
	    rm -rf fuzz/corpus/$$target; mv target/corpus/merged fuzz/corpus/$$target; \
	    echo "$$target: $$(ls fuzz/corpus/$$target | wc -l) files, $$(du -sb fuzz/corpus/$$target | cut -f1) bytes"; \
	done

# Runs the tests of unsafe code and of code that reads untrusted input under the address sanitizer.
asan:
	$(SANITIZED) test $(SANITIZED_FLAGS) --no-default-features --features report --lib -- \
	    solver:: input:: record:: sudoku:: jobs::recall

# Measures line coverage of the library and program tests: in total, by room, and by file if below 90 %. Test code does
# not count. Needs `make coverage-tool`. Instrumented code is many times slower, so property tests run fewer cases, and
# the lane tests, which would take half an hour, are skipped. Killed programs leave truncated profiles, which are
# ignored.
coverage:
	@$(CARGO) llvm-cov --version >/dev/null 2>&1 || { echo "error: that takes \`make coverage-tool\`" >&2; exit 1; }
	@mkdir -p target/coverage
	@PROPTEST_CASES=16 CARGO_PROFILE_DEV_OPT_LEVEL=2 \
	    $(CARGO) llvm-cov --locked --no-fail-fast --failure-mode all --lcov --output-path target/coverage/lcov.info \
	    -- --skip solver::lanes::tests >target/coverage/log 2>&1 || { tail -n 40 target/coverage/log; exit 1; }
	@awk -F'[:,]' -v root="$(CURDIR)/src/" '\
	    $$1 == "SF" { file = substr($$2, length(root) + 1); room = file; sub("/.*", "", room); sub("[.]rs", "", room); \
	        end = file ~ /(tests|testing|mutations)[.]rs$$/ ? 0 : 1e9; number = 0; \
	        while (end && (getline line < $$2) > 0) { number++; if (line == "mod tests {") { end = number; break } } } \
	    $$1 == "DA" && $$2 < end { lines[file]++; lines[room "/"]++; lines["all"]++; \
	        if ($$3 > 0) { run[file]++; run[room "/"]++; run["all"]++ } } \
	    END { for (name in lines) { share = 100 * run[name] / lines[name]; \
	        if (name !~ /[.]rs$$/ || share < 90) printf "%-32s %5.1f %% of %6d lines\n", name, share, lines[name] } }' \
	    target/coverage/lcov.info | sort

coverage-tool:
	rustup component add llvm-tools
	$(INSTALL) --version 0.9.1 cargo-llvm-cov

# Tests the library with all features off, and checks that it stays light. Skips the lane tests: they do not depend on
# features, `make test` has run them, and they take longer than all other tests here.
light:
	$(CARGO) test --locked --no-default-features --lib --test it -- --skip solver::lanes
	@set -e; tree=$$($(CARGO) tree --locked -e normal --no-default-features --prefix none); \
	    packages=$$(echo "$$tree" | sed 's/ .*//' | sort -u | wc -l); \
	    [ "$$packages" -le 6 ] || { echo "error: the library without features has $$packages packages (at most 6)" >&2; exit 1; }

# Compares the library's public API with docs/api.txt. The list is made from rustdoc's JSON, which a stable compiler
# writes only with RUSTC_BOOTSTRAP. If the tool is missing, this is skipped, or fails with API=demanded.
PUBLIC_API = mkdir -p target && RUSTC_BOOTSTRAP=1 $(CARGO) public-api -sss --no-default-features >target/api.txt
api:
	@if ! $(CARGO) public-api --version >/dev/null 2>&1; then \
	    echo "warning: the public API was NOT compared with docs/api.txt, which takes \`make api-tool\`" >&2; \
	    [ "$(API)" != demanded ]; exit; \
	fi; \
	$(PUBLIC_API) || exit; \
	diff -u docs/api.txt target/api.txt || \
	    { echo "error: this is not the API of docs/api.txt; if it is meant to be: make api-update" >&2; exit 1; }

api-update:
	$(PUBLIC_API)
	cp target/api.txt docs/api.txt

# Needs a C compiler, pkg-config and the OpenSSL headers.
api-tool:
	$(INSTALL) --version 0.52.0 cargo-public-api

# Checks the licences, sources and duplicates of the program's dependencies against deny.toml. If the tool is missing,
# this is skipped, or fails with DENY=demanded.
deny:
	@if ! $(CARGO) deny --version >/dev/null 2>&1; then \
	    echo "warning: licences, sources and duplicates were NOT checked, which takes \`make deny-tool\`" >&2; \
	    [ "$(DENY)" != demanded ]; exit; \
	fi; \
	$(CARGO) deny --locked --workspace check licenses bans sources || exit; \
	echo "note: no security advisories were looked up; \`make advisories\` does, over the network" >&2

# Looks up security advisories for the dependencies. This needs the RustSec database on GitHub, so .ci/run skips it.
advisories:
	$(CARGO) deny --locked --workspace check advisories

# Needs a C compiler.
deny-tool:
	$(INSTALL) --version 0.20.2 cargo-deny

# Checks the workflow files in .github/workflows and the scripts in them. If actionlint is missing, this is skipped, or
# fails with WORKFLOWS=demanded. If shellcheck is missing, actionlint skips the scripts.
workflows:
	@if ! command -v actionlint >/dev/null; then \
	    echo "warning: the workflows were NOT checked, which takes \`make workflows-tool\`" >&2; \
	    [ "$(WORKFLOWS)" != demanded ]; exit; \
	fi; \
	command -v shellcheck >/dev/null || \
	    echo "warning: the scripts in the workflows were NOT checked, which takes shellcheck" >&2; \
	actionlint .github/workflows/*.yml

# Needs Go, and installs the program in Go's bin folder.
workflows-tool:
	go install github.com/rhysd/actionlint/cmd/actionlint@v1.7.7

# Makes small changes to the code, one at a time, and lists those that no unit test of the same room catches. For one
# room: `make mutants ROOMS=record`; MUTANTS adds flags. .cargo/mutants.toml excludes changes that make no difference.
# Without optimisation, a room builds in seconds; only the lanes are optimised, because their tests search so much.
ROOMS = sudoku record input jobs lanes
mutants: $(addprefix mutants-,$(ROOMS))

mutants-%: FILES = src/$*/**
mutants-%: LEVEL = 0
mutants-sudoku: TESTS = sudoku::case:: sudoku::grid:: sudoku::houses:: sudoku::verifier::
mutants-record: TESTS = record::
# Skips three tests that take minutes in an unoptimised build.
mutants-input: TESTS = input:: --skip an_unclosed_quote_costs_no_other_row_however_long_the_file_is \
    --skip memory_is_bounded_whatever_the_input --skip a_file_can_be_read_on_from_every_batch
mutants-input: FEATURES = --features io
mutants-jobs: TESTS = jobs:: recheck_finds_counts_that_are_wrong
mutants-jobs: FEATURES = --features report
mutants-lanes: TESTS = solver::lanes::
mutants-lanes: FILES = src/solver/lanes/**
mutants-lanes: LEVEL = 1
mutants-%:
	mkdir -p target/mutants/$*
	CARGO_PROFILE_DEV_DEBUG=0 CARGO_PROFILE_DEV_OPT_LEVEL=$(LEVEL) PROPTEST_CASES=64 \
	    $(CARGO) mutants -o target/mutants/$* -f '$(FILES)' --no-default-features $(FEATURES) \
	    -C=--locked -C=--lib $(MUTANTS) -- -- $(TESTS)

mutants-tool:
	$(INSTALL) --version 27.1.0 cargo-mutants

# Installs the tool that .github/make-sboms needs.
sbom-tool:
	$(INSTALL) --version 0.5.9 cargo-cyclonedx

lint:
	$(CARGO) fmt --all --check
	$(CARGO) clippy --locked --workspace --all-targets -- -D warnings
	$(CARGO) clippy --locked --no-default-features --lib -- -D warnings
	$(CARGO) clippy --locked --no-default-features --features io --lib -- -D warnings
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --locked --no-deps
	@if [ -d "$$($(RUSTC) --print target-libdir --target $(ARM))" ] && command -v aarch64-linux-gnu-gcc >/dev/null; then \
	    set -x; $(CARGO) clippy --locked --target $(ARM) --all-targets -- -D warnings; \
	else \
	    echo "NEON is not linted: that takes the Rust target $(ARM) and aarch64-linux-gnu-gcc"; \
	fi

# Builds the Python package with pip in its own environment, and runs its tests and examples. Reuses the crates built by
# the Rust tests, which therefore enable arrow-array's `ffi` feature. Needs Python 3.10 or later with venv, and PyPI; if
# they are missing, this is skipped, or fails with PYTHON=demanded. SPARK=demanded also installs and tests Ray and Spark
# (which needs Java 17), and checks all types.
EXTRAS = test$(if $(filter demanded,$(SPARK)),$(comma)spark$(comma)ray)
comma = ,
# Uses the program built for the tests: `cargo build` would enable other crate features and rebuild those crates.
python:
	@if ! tests/install-tools --look python || ! python3 -m venv target/python || \
	    ! target/python/bin/pip install --quiet --disable-pip-version-check maturin; then \
	    echo "WARNING: THE PYTHON PACKAGE IS NOT TESTED, which takes Python 3.10 or later with venv, and PyPI" >&2; \
	    echo "  hint: make test-all installs what is missing or says how to" >&2; \
	    [ "$(PYTHON)" != demanded ]; exit; \
	fi; \
	set -ex; \
	$(CARGO) test --locked --no-run --test it; \
	MATURIN_PEP517_ARGS='--profile dev' \
	    target/python/bin/pip install --quiet --disable-pip-version-check './python[$(EXTRAS)]'; \
	cd python; \
	PATH=$(CURDIR)/target/python/bin:$$PATH; \
	BATCHDOKU=$${CARGO_TARGET_DIR:-$(CURDIR)/target}/debug/batchdoku BATCHDOKU_SPARK=$(SPARK) \
	    pytest -rs -n 2 --dist loadfile $(if $(filter demanded,$(SPARK)),,--doctest-ignore-import-errors) \
	    --pyargs batchdoku tests README.md; \
	if [ "$(SPARK)" = demanded ]; then \
	    mypy -p batchdoku; \
	    mypy tests examples; \
	    stubtest --mypy-config-file pyproject.toml batchdoku._batchdoku; \
	fi

bench:
	$(CARGO) bench --locked --profile dist -p batchdoku-benches

# Compares our solvers with the crate `sudoku`, taking turns, with everything built for this processor.
bench-peers:
	RUSTFLAGS="-C target-cpu=native" $(CARGO) bench --locked --profile dist --target-dir target/native -p batchdoku-benches --bench peers

# Regenerates the puzzle sets in data/ and compares them with their checksums.
sets:
	data/make-sets

# Updates the report screenshot in the README.
LISTS = $(addprefix data/,easy.txt minimal.txt hard.txt several.txt unsolvable.txt)
screenshot:
	tests/install-tools browser
	$(CARGO) run --release --locked -- solve -q --lenient -o /dev/null --report target/report.html $(LISTS)
	$$(command -v chromium || command -v chromium-browser || command -v google-chrome) \
		--headless=new --no-sandbox --disable-gpu --no-first-run --disable-background-networking \
		--user-data-dir=target/chromium --hide-scrollbars --window-size=1200,1335 \
		--screenshot=$(CURDIR)/docs/report.png file://$(CURDIR)/target/report.html
