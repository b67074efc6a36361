//! The program: hands over to the embedded console's process. The command line takes this file's place.

use nextscope::demo;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some(("demo-console", rest)) = arguments.split_first().map(|(first, rest)| (first.as_str(), rest))
    else {
        return ExitCode::from(2);
    };
    let ended = demo::Options::parse(rest)
        .and_then(|options| demo::serve(&options).map_err(|error| error.to_string()));
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("nextscope: {error}");
            ExitCode::from(2)
        }
    }
}
