//! Columns: formats whose rows come as values and not as text.
