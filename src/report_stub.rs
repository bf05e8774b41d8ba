#![allow(missing_docs, dead_code)]
use crate::pipeline;
pub struct Digest;
impl Digest { pub fn new(_: usize) -> Self { Self } }
impl pipeline::Digest for Digest { type Part = (); fn digest(&self, _: &crate::record::Page<'_>, _: &mut ()) {} }
pub struct Collector;
impl pipeline::Collect<()> for Collector { fn take(&mut self, _: &mut ()) {} }
impl Collector {
    pub fn for_run<'a>(_: usize, _: impl IntoIterator<Item = &'a crate::input::SourceInfo>, _: &crate::record::Schema) -> Self { Self }
    pub fn finish(self, _: Run, _: Vec<InputFile>, _: crate::provenance::Provenance) -> Report { unimplemented!() }
}
pub struct Run { pub wall_seconds: f64, pub threads: usize, pub backend: String, pub complete: bool }
pub struct InputFile { pub name: String, pub bytes: Option<u64>, pub sha256: Option<String> }
pub struct BadRows { pub count: u64, pub first: Vec<String> }
pub struct Report { pub problems: Vec<String>, pub bad_rows: BadRows }
impl Report { pub fn html(&self) -> String { String::new() } pub fn json(&self) -> String { String::new() } pub fn markdown(&self) -> String { String::new() } }
#[derive(Debug, thiserror::Error)]
pub enum ReportError { #[error("x")] Interrupted, #[error("y")] NotResults {} }
pub struct ReadOptions { pub threads: std::num::NonZeroUsize, pub top: usize, pub hash: bool }
pub fn read(_: &[String], _: ReadOptions, _: crate::provenance::Provenance, _: &dyn pipeline::Observer, _: &std::sync::atomic::AtomicBool) -> Result<Report, ReportError> { Err(ReportError::Interrupted) }
#[path = "report/numbers.rs"]
pub(crate) mod numbers;
