//! See the body.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| batchdoku_fuzz::verify::run(bytes));
