//! What a run adds up to.
