//! Reports: projections of a run for people (`text`), programs (`json`) and build servers (`junit`).

mod json;
mod junit;
mod text;

pub use json::json;
pub use junit::junit;
pub use text::{text, text_of_cases, wrapped};
