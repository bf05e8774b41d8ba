//! Drives headless Chromium through chromedriver, using the W3C WebDriver protocol. Also provides a server that records
//! which paths were requested.
//!
//! The client is only a few lines over a socket, because the available packages pull in an asynchronous runtime.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, Once};
use std::time::{Duration, Instant};
use std::{env, io, thread};

use serde_json::{Value, json};
use tempfile::TempDir;

/// Set by `make test-all`, so that a missing browser counts as a failure.
const DEMAND: &str = "BATCHDOKU_BROWSER";

/// The possible names of the browser; tests/install-tools has the same list.
const BROWSERS: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/// Ensures that the note on skipped tests is printed only once.
static LEFT_OUT: Once = Once::new();

/// The longest time the browser can take for one command.
const PATIENCE: Duration = Duration::from_secs(60);

/// A browser with one window.
pub struct Browser {
    driver: Child,
    port: u16,
    /// `/session/ID`.
    session: String,
    _profile: TempDir,
}

/// Starts chromedriver, and returns it with its port.
///
/// chromedriver looks for a free port before taking it, and exits if another program takes the port in between. In that
/// case it is started again.
fn start_driver(program: &Path) -> (Child, u16) {
    for _ in 0..10 {
        let mut driver = Command::new(program)
            .arg("--port=0")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(driver.stdout.take().unwrap()).lines();
        let port_in =
            |line: String| line.split_once("successfully on port ")?.1.trim_end_matches('.').parse().ok();
        if let Some(port) = lines.find_map(|line| port_in(line.unwrap())) {
            // Keeps reading, so chromedriver never blocks on a full pipe.
            thread::spawn(move || lines.for_each(drop));
            return (driver, port);
        }
        driver.wait().unwrap();
    }
    panic!("chromedriver finds no port");
}

impl Browser {
    /// Starts the browser. If there is none and none is required, prints a note to standard error and returns `None`.
    pub fn start() -> Option<Self> {
        let path = env::var_os("PATH").unwrap_or_default();
        let found = |name: &str| env::split_paths(&path).map(|at| at.join(name)).find(|path| path.is_file());
        let program = BROWSERS.into_iter().find_map(found);
        let (Some(driver), Some(program)) = (found("chromedriver"), program) else {
            assert!(
                env::var_os(DEMAND).is_none(),
                "no Chromium with a chromedriver: run tests/install-tools browser"
            );
            // Unlike `eprintln!`, this is shown even if the test passes.
            LEFT_OUT.call_once(|| {
                let _ = writeln!(
                    io::stderr(),
                    "\nWARNING: THE REPORT IS NOT TESTED IN A BROWSER: there is no Chromium with a chromedriver on \
                     the PATH\n  hint: tests/install-tools installs them or says how to"
                );
            });
            return None;
        };
        let (driver, port) = start_driver(&driver);
        let profile = TempDir::new().unwrap();
        let arguments = "--headless=new --no-sandbox --disable-gpu --disable-quic --disable-dev-shm-usage \
                         --no-first-run --disable-background-networking --disable-component-update --disable-sync \
                         --hide-scrollbars";
        let profile_flag = format!("--user-data-dir={}", profile.path().display());
        let arguments: Vec<_> = arguments.split(' ').chain([&*profile_flag]).collect();
        let wanted = json!({"capabilities": {"alwaysMatch": {
            "goog:chromeOptions": {"binary": program, "args": arguments},
            "goog:loggingPrefs": {"browser": "ALL"},
        }}});
        let mut browser = Self { driver, port, session: "/session".to_owned(), _profile: profile };
        let session = browser.command("POST", "", &wanted);
        browser.session = format!("/session/{}", session["sessionId"].as_str().unwrap());
        Some(browser)
    }

    /// Sends a protocol command and returns its value.
    fn command(&self, method: &str, path: &str, body: &Value) -> Value {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let body = body.to_string();
        write!(
            stream,
            "{method} {}{path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
            self.session,
            self.port,
            body.len()
        )
        .unwrap();
        // Some versions of chromedriver leave the connection open, so the end of the answer must be found by its stated
        // length.
        let mut stream = BufReader::new(stream);
        let headers = stream.by_ref().lines().map(Result::unwrap).take_while(|line| !line.is_empty());
        let length_in = |line: String| {
            let (name, value) = line.split_once(':')?;
            name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse().unwrap())
        };
        let length: usize = headers.filter_map(length_in).last().unwrap();
        let mut answer = vec![0; length];
        stream.read_exact(&mut answer).unwrap();
        let mut answer: Value = serde_json::from_slice(&answer).unwrap();
        let error = &answer["value"]["error"];
        assert!(error.is_null(), "{method} {path} {body}: {error}: {}", answer["value"]["message"]);
        answer["value"].take()
    }

    pub fn open(&self, address: &str) {
        self.command("POST", "/url", &json!({"url": address}));
    }

    /// Runs a function body in the page and returns its result.
    pub fn run(&self, script: &str) -> Value {
        self.command("POST", "/execute/sync", &json!({"script": script, "args": []}))
    }

    /// Returns what the page has logged since the last call: script errors and violations of the security policy.
    pub fn log(&self) -> Vec<String> {
        let entries = self.command("POST", "/se/log", &json!({"type": "browser"}));
        let entries = entries.as_array().unwrap().iter();
        entries.map(|entry| entry["message"].as_str().unwrap().to_owned()).collect()
    }

    /// Waits until the page has logged `enough` since the last call, and returns those messages.
    pub fn log_until(&self, enough: impl Fn(&[String]) -> bool) -> Vec<String> {
        let deadline = Instant::now() + PATIENCE;
        let mut log = Vec::new();
        loop {
            log.extend(self.log());
            if enough(&log) {
                return log;
            }
            assert!(Instant::now() < deadline, "the page logged only {log:?}");
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// Sends a command of Chromium's own protocol.
    pub fn chromium(&self, command: &str, parameters: Value) -> Value {
        self.command("POST", "/goog/cdp/execute", &json!({"cmd": command, "params": parameters}))
    }

    /// Makes the page believe that it is displayed at this width.
    pub fn set_width(&self, width: u32) {
        let metrics = json!({"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600});
        self.chromium("Emulation.setDeviceMetricsOverride", metrics);
    }

    /// Makes the page believe that the reader prefers `light` or `dark`.
    pub fn prefer(&self, scheme: &str) {
        let features = json!({"features": [{"name": "prefers-color-scheme", "value": scheme}]});
        self.chromium("Emulation.setEmulatedMedia", features);
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        if !thread::panicking() {
            self.command("DELETE", "", &json!({}));
        }
        // This ends the browser too.
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}

/// Serves the same page under any name and records the paths that were requested.
pub struct Server {
    port: u16,
    requested: Arc<Mutex<Vec<String>>>,
}

impl Server {
    pub fn start(page: Vec<u8>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let requested = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&requested);
        thread::spawn(move || {
            for stream in listener.incoming() {
                // A browser opens connections that it might never use.
                let (page, seen) = (page.clone(), Arc::clone(&seen));
                thread::spawn(move || answer(stream.unwrap(), &page, &seen));
            }
        });
        Self { port, requested }
    }

    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}/report.html", self.port)
    }

    pub fn requested(&self) -> Vec<String> {
        self.requested.lock().unwrap().clone()
    }
}

fn answer(mut stream: TcpStream, page: &[u8], seen: &Mutex<Vec<String>>) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut first = String::new();
    if reader.read_line(&mut first).unwrap_or(0) == 0 {
        return;
    }
    seen.lock().unwrap().push(first.split(' ').nth(1).unwrap_or_default().to_owned());
    let mut line = String::new();
    while reader.read_line(&mut line).unwrap_or(0) > 2 {
        line.clear();
    }
    let _ = write!(
        stream,
        "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        page.len()
    );
    let _ = stream.write_all(page);
}
