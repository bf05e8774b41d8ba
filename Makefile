# make test is the one command that says whether the project works.
CARGO ?= cargo
RUSTC ?= rustc
# The NEON backend compiles for this target alone.
ARM = aarch64-unknown-linux-gnu

.PHONY: test lint bench bench-peers sets

test:
	$(CARGO) test --locked

lint:
	$(CARGO) fmt --all --check
	$(CARGO) clippy --locked --workspace --all-targets -- -D warnings
	$(CARGO) clippy --locked --no-default-features --lib -- -D warnings
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --locked --no-deps
	@if [ -d "$$($(RUSTC) --print target-libdir --target $(ARM))" ] && command -v aarch64-linux-gnu-gcc >/dev/null; then \
	    set -x; $(CARGO) clippy --locked --target $(ARM) --all-targets -- -D warnings; \
	else \
	    echo "NEON is not linted: that takes the Rust target $(ARM) and aarch64-linux-gnu-gcc"; \
	fi

bench:
	$(CARGO) bench --locked -p batchdoku-benches

# Ours against what the registry offers, in turns, everything built for this processor.
bench-peers:
	RUSTFLAGS="-C target-cpu=native" $(CARGO) bench --locked --target-dir target/native -p batchdoku-benches --bench peers

# Makes the puzzle sets of data/ again and compares them with their checksums.
sets:
	data/make-sets
