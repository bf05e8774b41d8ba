//! Columns: formats whose rows come as values and not as text, and values in memory.

#[cfg(feature = "parquet")]
mod arrow;
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
#[cfg(all(test, feature = "parquet"))]
mod tests;
#[cfg(feature = "arrow")]
mod text;
mod values;

#[cfg(feature = "arrow")]
pub(crate) use column::restore_zeros;
#[cfg(feature = "arrow")]
pub use column::{ColumnError, column};
pub(super) use opened::{Binary, BinaryInput, BinaryRows, Bytes};
pub(super) use values::ValueRows;
pub use values::{Value, Values};

use super::InputError;

impl Binary {
    /// Opens an input that starts as this one does.
    ///
    /// # Errors
    ///
    /// When its header or index cannot be read, or it has no puzzles.
    pub fn open(self, input: BinaryInput<'_>) -> Result<BinaryRows, InputError> {
        let name = input.name.to_owned();
        #[cfg(feature = "parquet")]
        {
            // Damaged data makes packages that read it panic.
            let opened = super::isolated(|| match self {
                Self::Parquet => parquet::open(input),
                Self::Arrow => arrow::open(input),
                Self::Npy => npy::open(input),
            });
            opened.unwrap_or_else(|panicked| {
                let what = format!("is damaged at its start or its end: {}", panicked.message);
                Err(InputError::Unreadable { name, what })
            })
        }
        #[cfg(not(feature = "parquet"))]
        Err(InputError::MissingFeature { name, format: self.framing().word(), feature: "parquet" })
    }
}
