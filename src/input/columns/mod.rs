//! Columns: formats whose rows come as values and not as text, and values in memory.

#[cfg(feature = "parquet")]
mod arrow;
mod binary;
#[cfg(feature = "arrow")]
mod column;
mod npy;
#[cfg(feature = "parquet")]
mod parquet;
#[cfg(feature = "parquet")]
mod table;
#[cfg(test)]
mod testing;
#[cfg(feature = "arrow")]
mod text;
mod values;
mod watched;

pub(super) use binary::{Binary, BinaryInput, BinaryRows, Bytes};
#[cfg(feature = "arrow")]
pub(crate) use column::restore_zeros;
#[cfg(feature = "arrow")]
pub use column::{ColumnError, column};
pub(super) use values::ValueRows;
pub use values::{Value, Values};
