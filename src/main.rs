//! The `batchdoku` program, which is the library's `cli` module.

fn main() -> std::process::ExitCode {
    batchdoku::cli::main()
}
