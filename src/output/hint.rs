//! Hints for errors.

use std::error::Error;

use super::choice::ChoiceError;
use super::file::OutputError;
use crate::input::{InputError, OptionNames};

/// Returns the hint of an error, or of the first of its causes that has one.
#[must_use]
pub fn hint(error: &(dyn Error + 'static), names: &OptionNames) -> Option<String> {
    let of_one = |error: &(dyn Error + 'static)| {
        if let Some(error) = error.downcast_ref::<InputError>() {
            error.hint(names)
        } else if let Some(error) = error.downcast_ref::<ChoiceError>() {
            error.hint(names)
        } else {
            error.downcast_ref::<OutputError>()?.hint().map(str::to_owned)
        }
    };
    std::iter::successors(Some(error), |&error| error.source()).find_map(of_one)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::Choice;

    #[derive(Debug, thiserror::Error)]
    #[error("{0}; that is all")]
    struct Above(#[from] ChoiceError);

    #[test]
    fn a_hint_is_found_among_the_causes_in_the_words_of_the_caller() {
        let python = OptionNames { output_format: "output_format", ..OptionNames::LIBRARY };
        let error = Above(Choice::new(Some("a.npy".as_ref()), Some("csv")).err().unwrap());
        assert_eq!(error.to_string(), "a.npy: has the extension of npy, but the format is csv; that is all");
        let expected = "leave out output_format, or give the file another name";
        assert_eq!(hint(&error, &python).as_deref(), Some(expected));
        assert_eq!(hint(&std::io::Error::other("full"), &python), None);
    }
}
