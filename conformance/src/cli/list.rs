//! `list`: the cases, with what each shows.

use super::Complaint;
use super::options::RunOptions;
use crate::transcript::Suite;
use std::io::Write;

pub(super) fn list(suite: &Suite, run: &RunOptions) -> Result<u8, Complaint> {
    let mut out = anstream::stdout();
    let options = run.choice();
    let faint = anstyle::Style::new().dimmed();
    let strong = anstyle::Style::new().bold();
    for script in suite.scripts.iter().filter(|script| options.chooses(script)) {
        let (id, rules, about) = (&script.id, script.header.rules.join(" "), &script.header.about);
        writeln!(out, "{strong}{id}{strong:#}  {faint}{rules}{faint:#}\n    {about}")?;
    }
    Ok(0)
}
