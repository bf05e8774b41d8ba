//! Tokens: the proof that this processor supports the instruction set of a backend.
//!
//! A token is zero-sized, and only detection makes one. Every function that makes a vector from something else takes
//! the token, so any code that has a vector may use it. Safe code, including tests, cannot execute an instruction that
//! the processor lacks. `tests/tokens.rs` shows what the compiler refuses.

/// Makes the type `Token` of the module, with its detection and the module's one function with `target_feature`.
///
/// Both use one list of features. `$detected` is the macro of the standard library that detects a feature.
macro_rules! token {
    ($detected:ident: $($feature:tt),+) => {
        /// The proof that this processor supports the instruction set of this module's vector.
        #[derive(Clone, Copy)]
        pub struct Token(());

        impl Token {
            /// Returns the token if the processor supports the instruction set.
            fn detect() -> Option<Self> {
                ($($detected!($feature))&&+).then_some(Self(()))
            }

            /// Does the work in a function that may use the instruction set, and into which all of it is inlined.
            fn work<V, W>(self, work: W) -> W::Output
            where
                V: Lanes<Token = Self>,
                W: Work<V>,
            {
                $(#[target_feature(enable = $feature)])+
                fn enabled<V, W>(token: Token, work: W) -> W::Output
                where
                    V: Lanes<Token = Token>,
                    W: Work<V>,
                {
                    work.run(token)
                }
                // SAFETY: a token exists only where all of these features were detected.
                unsafe { enabled(self, work) }
            }
        }
    };
}
pub(super) use token;
