//! Columns: formats whose rows come as values and not as text, and values in memory.

#[cfg(feature = "parquet")]
mod arrow;
mod binary;
#[cfg(feature = "arrow")]
mod column;
#[cfg(feature = "parquet")]
mod npy;
mod opened;
#[cfg(feature = "parquet")]
mod parquet;
#[cfg(feature = "parquet")]
mod table;
#[cfg(all(test, feature = "parquet"))]
mod testing;
#[cfg(feature = "arrow")]
mod text;
mod values;

pub(super) use binary::Binary;
#[cfg(feature = "arrow")]
pub(crate) use column::restore_zeros;
#[cfg(feature = "arrow")]
pub use column::{ColumnError, column};
pub(super) use opened::{BinaryInput, BinaryRows, Bytes};
pub(super) use values::ValueRows;
pub use values::{Value, Values};
