//! The embedded console as a child process.

use super::DemoError;
use super::options::DemoOptions;
use crate::process::{Pid, detach};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// The timeout for the start, which takes milliseconds unless the machine is busy.
const START_TIMEOUT: Duration = Duration::from_secs(20);

/// The timeout for a regular exit, after which the process is killed.
const EXIT_TIMEOUT: Duration = Duration::from_secs(2);

/// The running embedded console. It ends when this is dropped, and when this process ends for any reason.
#[derive(Debug)]
pub struct DemoProcess {
    child: Child,
    input: Option<ChildStdin>,
}

/// Starts the embedded console in a separate process and waits until it is ready.
pub fn spawn(options: &DemoOptions) -> Result<DemoProcess, DemoError> {
    spawn_program(&std::env::current_exe()?, options)
}

/// As [`spawn`], with the given `nextscope` program.
pub fn spawn_program(program: &Path, options: &DemoOptions) -> Result<DemoProcess, DemoError> {
    let start = |error| DemoError::Start { program: program.to_owned(), error };
    let mut command = Command::new(program);
    command.arg("demo-console").args(options.arguments());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    // Ctrl+C in our terminal must not reach the console; it ends with this process.
    detach(&mut command);
    let mut child = command.spawn().map_err(start)?;
    let (input, output, errors) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    // From here on the child is killed on every return.
    let mut demo = DemoProcess { child, input };

    // Both streams are read to the end, so that the child never blocks on a full pipe.
    let (lines, first_line) = channel();
    if let Some(output) = output {
        std::thread::Builder::new().name("demo".into()).spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                // Only the first line is received.
                let _ = lines.send(line);
            }
        })?;
    }
    let (error_lines, received_errors) = channel();
    if let Some(errors) = errors {
        std::thread::Builder::new().name("demo errors".into()).spawn(move || {
            for line in BufReader::new(errors).lines().map_while(Result::ok) {
                tracing::warn!("embedded console: {line}");
                let _ = error_lines.send(line);
            }
        })?;
    }

    match first_line.recv_timeout(START_TIMEOUT) {
        Ok(line) if line == format!("ready {}", demo.child.id()) => Ok(demo),
        Ok(line) => Err(DemoError::NotReady { reason: format!("it printed `{line}`") }),
        Err(RecvTimeoutError::Timeout) => Err(DemoError::Late(START_TIMEOUT)),
        Err(RecvTimeoutError::Disconnected) => {
            demo.input = None;
            let status = demo.child.wait()?;
            let errors: Vec<String> = received_errors.iter().collect();
            let reason = if errors.is_empty() { status.to_string() } else { errors.join("; ") };
            Err(DemoError::NotReady { reason })
        }
    }
}

impl DemoProcess {
    /// Its process number.
    pub fn pid(&self) -> Pid {
        Pid(self.child.id())
    }

    /// Whether it is running.
    pub fn is_running(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// Kills it.
    pub fn kill(&mut self) -> Result<(), DemoError> {
        self.input = None;
        self.child.kill()?;
        self.child.wait()?;
        Ok(())
    }

    /// Closes its input, upon which it exits, and waits; kills it if it does not exit.
    pub fn end(&mut self) -> Result<ExitStatus, DemoError> {
        self.input = None;
        let deadline = Instant::now() + EXIT_TIMEOUT;
        while Instant::now() < deadline {
            if let Some(status) = self.child.try_wait()? {
                return Ok(status);
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        self.child.kill()?;
        Ok(self.child.wait()?)
    }

    /// Sends a command; see [`serve`](super::serve()).
    pub fn send(&mut self, line: &str) -> Result<(), DemoError> {
        let input = self.input.as_mut().ok_or(DemoError::Ended)?;
        writeln!(input, "{line}").map_err(|_| DemoError::Ended)
    }
}

impl Drop for DemoProcess {
    fn drop(&mut self) {
        if let Err(error) = self.end() {
            tracing::warn!("the embedded console (process {}) did not end: {error}", self.pid());
        }
    }
}
