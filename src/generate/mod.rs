//! The seeded generator.
