//! The `batchdoku` program; everything it does is in the library's `cli` module.

fn main() -> std::process::ExitCode {
    batchdoku::cli::main()
}
