# make test is the one command that says whether the project works.
CARGO ?= cargo
RUSTC ?= rustc
# The NEON backend compiles for this target alone.
ARM = aarch64-unknown-linux-gnu

.PHONY: test torture light api api-update api-tool deny deny-tool advisories workflows workflows-tool sbom-tool lint python \
    bench bench-peers sets screenshot

# The reports are opened in a browser; where it is missing, the script installs it if it may, or says what to do.
test:
	tests/webdriver/install
	BATCHDOKU_BROWSER=demanded $(CARGO) test --locked

# The long form of the tests of PROMISES.md: 200 million puzzles through a pipe, and each kind of run killed 100 times.
# An hour and more.
torture:
	BATCHDOKU_TORTURE=1 $(CARGO) test --locked --release --test torture --test resume --test interruption

# The library without features: its tests, and that it stays light.
light:
	$(CARGO) test --locked --no-default-features --lib --test solver
	@set -e; tree=$$($(CARGO) tree --locked -e normal --no-default-features --prefix none); \
	    packages=$$(echo "$$tree" | sed 's/ .*//' | sort -u | wc -l); \
	    [ "$$packages" -le 6 ] || { echo "error: the library without features has $$packages packages (at most 6)" >&2; exit 1; }

# What the library promises, compared with docs/api.txt. The list is made from rustdoc's JSON, which a stable compiler
# gives only when told so (RUSTC_BOOTSTRAP). Without the tool this is skipped, but not with API=demanded.
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

# Takes a C compiler, pkg-config and the headers of OpenSSL.
api-tool:
	$(CARGO) install --locked --version 0.52.0 cargo-public-api

# Licences, sources and duplicates of the packages that the program is built from, as deny.toml allows them. Without the
# tool this is skipped, but not with DENY=demanded.
deny:
	@if ! $(CARGO) deny --version >/dev/null 2>&1; then \
	    echo "warning: licences, sources and duplicates were NOT checked, which takes \`make deny-tool\`" >&2; \
	    [ "$(DENY)" != demanded ]; exit; \
	fi; \
	$(CARGO) deny --locked --workspace check licenses bans sources || exit; \
	echo "note: no security advisories were looked up; \`make advisories\` does, over the network" >&2

# What is known against these packages: asks the RustSec database on GitHub, so the workflow does it, not .ci/run.
advisories:
	$(CARGO) deny --locked --workspace check advisories

# Takes a C compiler. It runs for two seconds, so optimising it does not pay.
deny-tool:
	CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_OPT_LEVEL=0 \
	    $(CARGO) install --locked --version 0.20.2 cargo-deny

# The files of .github/workflows and the scripts in them. Without the tool this is skipped, but not with
# WORKFLOWS=demanded; without shellcheck, actionlint leaves out the scripts.
workflows:
	@if ! command -v actionlint >/dev/null; then \
	    echo "warning: the workflows were NOT checked, which takes \`make workflows-tool\`" >&2; \
	    [ "$(WORKFLOWS)" != demanded ]; exit; \
	fi; \
	command -v shellcheck >/dev/null || \
	    echo "warning: the scripts in the workflows were NOT checked, which takes shellcheck" >&2; \
	actionlint .github/workflows/*.yml

# Takes Go, and puts the program into its bin folder.
workflows-tool:
	go install github.com/rhysd/actionlint/cmd/actionlint@v1.7.7

# For .github/make-sboms.
sbom-tool:
	$(CARGO) install --locked --version 0.5.9 cargo-cyclonedx

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

# The Python package as pip builds it, in an environment of its own: its tests, examples and types. Takes Python 3.10 or
# later with venv, and PyPI. Without them this is skipped, but not with PYTHON=demanded.
python:
	@if ! python3 -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then \
	    echo "warning: the Python package was NOT tested, which takes Python 3.10 or later with venv" >&2; \
	    [ "$(PYTHON)" != demanded ]; exit; \
	fi; \
	set -ex; \
	$(CARGO) build --locked; \
	python3 -m venv target/python; \
	target/python/bin/pip install --quiet --disable-pip-version-check './python[test]'; \
	cd python; \
	PATH=$(CURDIR)/target/python/bin:$$PATH; \
	BATCHDOKU=$${CARGO_TARGET_DIR:-$(CURDIR)/target}/debug/batchdoku pytest --pyargs batchdoku tests README.md; \
	mypy -p batchdoku; \
	mypy tests; \
	stubtest --mypy-config-file pyproject.toml batchdoku._batchdoku

bench:
	$(CARGO) bench --locked -p batchdoku-benches

# Ours against what the registry offers, in turns, everything built for this processor.
bench-peers:
	RUSTFLAGS="-C target-cpu=native" $(CARGO) bench --locked --target-dir target/native -p batchdoku-benches --bench peers

# Makes the puzzle sets of data/ again and compares them with their checksums.
sets:
	data/make-sets

# The picture of a report in the README.
LISTS = $(addprefix data/,easy.txt minimal.txt hard.txt several.txt unsolvable.txt)
screenshot:
	tests/webdriver/install
	$(CARGO) run --release --locked -- solve -q --lenient -o /dev/null --report target/report.html $(LISTS)
	$$(command -v chromium || command -v chromium-browser || command -v google-chrome) \
		--headless=new --no-sandbox --disable-gpu --no-first-run --disable-background-networking \
		--user-data-dir=target/chromium --hide-scrollbars --window-size=1200,1335 \
		--screenshot=$(CURDIR)/docs/report.png file://$(CURDIR)/target/report.html
