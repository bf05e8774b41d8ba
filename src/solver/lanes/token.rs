//! Tokens, which prove that this processor supports the instruction set of a backend.
//!
//! A token is zero-sized, and only detection can create one. Every function that creates a vector from other data takes
//! the token, so any code that has a vector may operate on it. Safe code, including the tests, cannot execute an
//! instruction that the processor lacks. `tests/tokens.rs` shows the code that the compiler rejects.

/// Defines the module's `Token` type, including its detection and the module's only `target_feature` function.
///
/// Both use the same list of features. `$detected` is the standard library macro that detects a feature.
macro_rules! token {
    ($detected:ident: $($feature:tt),+) => {
        /// Proof that this processor supports the instruction set of this module's vector.
        #[derive(Clone, Copy)]
        pub struct Token(());

        impl Token {
            /// Returns the token if the processor supports the instruction set.
            fn detect() -> Option<Self> {
                ($($detected!($feature))&&+).then_some(Self(()))
            }

            /// Runs the work, all of which is inlined into a function that may use the instruction set.
            fn work<V: Lanes<Token = Self>>(self, work: impl Work<V>) {
                $(#[target_feature(enable = $feature)])+
                fn enabled<V: Lanes>(work: impl Work<V>) {
                    work.run();
                }
                // SAFETY: a token exists only where all of these features were detected.
                unsafe { enabled(work) }
            }
        }
    };
}
pub(super) use token;
