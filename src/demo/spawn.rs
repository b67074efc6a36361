//! The embedded console as a child process.

use super::DemoError;
use super::options::Options;
use super::pads::Buttons;
use crate::process::Pid;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// How long to wait until it says that it is ready. It takes milliseconds; a busy machine takes longer.
const PATIENCE: Duration = Duration::from_secs(20);

/// How long it may take to end by itself before it is killed. It takes milliseconds; a busy machine takes longer.
const FAREWELL: Duration = Duration::from_secs(2);

/// The running embedded console. It ends when this is dropped, and with this process however that ends.
#[derive(Debug)]
pub struct DemoProcess {
    child: Child,
    input: Option<ChildStdin>,
}

/// Starts the embedded console in a process of its own and waits until it runs.
///
/// # Errors
/// See [`DemoError`].
pub fn spawn(options: &Options) -> Result<DemoProcess, DemoError> {
    spawn_program(&std::env::current_exe()?, options)
}

/// As [`spawn`], with the `nextscope` to be started named.
///
/// # Errors
/// See [`DemoError`].
pub fn spawn_program(program: &Path, options: &Options) -> Result<DemoProcess, DemoError> {
    let start = |error| DemoError::Start { program: program.to_owned(), error };
    let mut command = Command::new(program);
    command.arg("demo-console").args(options.arguments());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    // Ctrl+C in our terminal is for us: it ends when we let go of it.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child = command.spawn().map_err(start)?;
    let (input, output, complaints) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    // From here on every way out ends the child.
    let mut demo = DemoProcess { child, input };

    // Both are read to their ends, so that the child never waits for a reader.
    let (said, says) = channel();
    if let Some(output) = output {
        std::thread::Builder::new().name("demo".into()).spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                // Only the first is waited for.
                let _ = said.send(line);
            }
        })?;
    }
    let (complained, complains) = channel();
    if let Some(complaints) = complaints {
        std::thread::Builder::new().name("demo errors".into()).spawn(move || {
            for line in BufReader::new(complaints).lines().map_while(Result::ok) {
                tracing::warn!("embedded console: {line}");
                let _ = complained.send(line);
            }
        })?;
    }

    match says.recv_timeout(PATIENCE) {
        Ok(line) if line == format!("ready {}", demo.child.id()) => Ok(demo),
        Ok(line) => Err(DemoError::NotReady { said: format!("it said `{line}`") }),
        Err(RecvTimeoutError::Timeout) => Err(DemoError::Late(PATIENCE)),
        Err(RecvTimeoutError::Disconnected) => {
            demo.input = None;
            let status = demo.child.wait()?;
            let said: Vec<String> = complains.iter().collect();
            let said = if said.is_empty() { status.to_string() } else { said.join("; ") };
            Err(DemoError::NotReady { said })
        }
    }
}

impl DemoProcess {
    /// Its process number.
    #[must_use]
    pub fn pid(&self) -> Pid {
        Pid(self.child.id())
    }

    /// Whether it still runs.
    pub fn is_running(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// Presses buttons of the first controller and lets them go.
    ///
    /// # Errors
    /// [`DemoError::Ended`], as of all that follow.
    pub fn press(&mut self, buttons: Buttons) -> Result<(), DemoError> {
        self.say(&format!("press {}\nrelease", buttons.names()))
    }

    /// The reset button.
    ///
    /// # Errors
    /// [`DemoError::Ended`].
    pub fn reset(&mut self) -> Result<(), DemoError> {
        self.say("reset")
    }

    /// Off and on again.
    ///
    /// # Errors
    /// [`DemoError::Ended`].
    pub fn load(&mut self) -> Result<(), DemoError> {
        self.say("load")
    }

    /// Lets time stand still.
    ///
    /// # Errors
    /// [`DemoError::Ended`].
    pub fn pause(&mut self) -> Result<(), DemoError> {
        self.say("pause")
    }

    /// Lets time go on.
    ///
    /// # Errors
    /// [`DemoError::Ended`].
    pub fn resume(&mut self) -> Result<(), DemoError> {
        self.say("resume")
    }

    /// Changes the pace; see [`Options::speed`].
    ///
    /// # Errors
    /// [`DemoError::Ended`].
    pub fn speed(&mut self, speed: f64) -> Result<(), DemoError> {
        self.say(&format!("speed {speed}"))
    }

    /// Ends it at once, without a word.
    ///
    /// # Errors
    /// [`DemoError::System`].
    pub fn kill(&mut self) -> Result<(), DemoError> {
        self.input = None;
        self.child.kill()?;
        self.child.wait()?;
        Ok(())
    }

    /// Closes its input, which is the end of it, and waits for it; it is killed when it does not end by itself.
    ///
    /// # Errors
    /// [`DemoError::System`].
    pub fn end(&mut self) -> Result<ExitStatus, DemoError> {
        self.input = None;
        let deadline = Instant::now() + FAREWELL;
        while Instant::now() < deadline {
            if let Some(status) = self.child.try_wait()? {
                return Ok(status);
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        self.child.kill()?;
        Ok(self.child.wait()?)
    }

    fn say(&mut self, line: &str) -> Result<(), DemoError> {
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
