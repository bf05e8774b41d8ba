# make test is the one command that says whether the project works.
CARGO ?= cargo

.PHONY: test lint bench bench-peers sets

test:
	$(CARGO) test --locked

lint:
	$(CARGO) fmt --all --check
	$(CARGO) clippy --locked --workspace --all-targets -- -D warnings
	$(CARGO) clippy --locked --no-default-features --lib -- -D warnings
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --locked --no-deps

bench:
	$(CARGO) bench --locked -p batchdoku-benches

# Ours against what the registry offers, in turns, everything built for this processor.
bench-peers:
	RUSTFLAGS="-C target-cpu=native" $(CARGO) bench --locked --target-dir target/native -p batchdoku-benches --bench peers

# Makes the puzzle sets of data/ again and compares them with their checksums.
sets:
	data/make-sets
