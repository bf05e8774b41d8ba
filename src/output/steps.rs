//! `rate --explain`: the steps that solve each puzzle, as text for humans.

use super::encode::{Encode, Piece, Unfit, Value, Values, kept_rows, needs, push_number};
use super::text::push_reason;
use crate::record::{Page, Role, Schema};

/// The steps as multi-line text after each record's number; if there are no steps, the status and the reason.
#[derive(Clone, Copy, Debug)]
pub struct Steps;

impl Encode for Steps {
    fn fits(&self, schema: &Schema) -> Result<(), Unfit> {
        needs(schema, "steps", &[(Role::Steps, "steps"), (Role::Status, "steps")])
    }

    fn encode(&self, page: &Page<'_>, out: &mut Piece) {
        let out = &mut out.bytes;
        let [Some(mut steps), Some(mut statuses), Some(mut errors)] =
            [Role::Steps, Role::Status, Role::Error].map(|role| Some(Values::new(&page.column(role)?)))
        else {
            return;
        };
        for row in kept_rows(page) {
            out.extend_from_slice(b"record ");
            push_number(page.origin(row).0, out);
            out.extend_from_slice(b": ");
            match (steps.at(row), statuses.at(row)) {
                (Value::Bytes(text), _) => out.extend_from_slice(text),
                (_, Value::Word(status)) => out.extend_from_slice(status.as_bytes()),
                _ => {}
            }
            if let Value::Fault(fault) = errors.at(row) {
                push_reason(fault, out);
            }
            out.push(b'\n');
        }
    }
}
