//! The program: see [`nextscope::cli`].

fn main() -> std::process::ExitCode {
    nextscope::cli::main()
}
