//! Parse, run, print the error with its remedy: see [`nextscope::cli`].

fn main() -> std::process::ExitCode {
    nextscope::cli::main()
}
