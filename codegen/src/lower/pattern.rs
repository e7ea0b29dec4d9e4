//! The one form of pattern that a spec may use, `^[class]{min,max}$`, so that no consumer needs a regular
//! expression engine and a refusal can be said in words.

use super::model::{Count, Text};

/// Reads a pattern.
pub(crate) fn parse(pattern: &str) -> Option<Text> {
    let inner = pattern.strip_prefix("^[")?.strip_suffix("}$")?;
    let (class, count) = inner.rsplit_once("]{")?;
    let (min, max) = count.split_once(',')?;
    let count = Count { min: min.parse().ok()?, max: Some(max.parse().ok()?) };
    let ordered = count.max.is_some_and(|max| count.min <= max);
    Some(Text { count, class: Some(ranges(class)?) }).filter(|_| ordered)
}

/// The ranges of a class: literal characters and `a-z`; `\-` is a literal hyphen.
fn ranges(class: &str) -> Option<Vec<(char, char)>> {
    let mut ranges = Vec::new();
    let mut rest = class.chars().peekable();
    let literal = |c: char| (!matches!(c, '^' | '[' | ']' | '-' | '\\')).then_some(c);
    while let Some(c) = rest.next() {
        if c == '\\' {
            ranges.push(rest.next().filter(|c| *c == '-').map(|c| (c, c))?);
            continue;
        }
        let low = literal(c)?;
        let high = if rest.next_if_eq(&'-').is_some() { literal(rest.next()?)? } else { low };
        ranges.push((low, high));
    }
    let ordered = ranges.iter().all(|(low, high)| low <= high);
    Some(ranges).filter(|ranges| ordered && !ranges.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_has_literals_ranges_and_an_escaped_hyphen() {
        let text = parse(r"^[A-Za-z0-9._:\-]{1,128}$").unwrap();
        assert_eq!(text.count, Count { min: 1, max: Some(128) });
        let class = [('A', 'Z'), ('a', 'z'), ('0', '9'), ('.', '.'), ('_', '_'), (':', ':'), ('-', '-')];
        assert_eq!(text.class.as_deref(), Some(&class[..]));
    }

    #[test]
    fn other_patterns_are_refused() {
        for pattern in [
            "[a]{1,2}",
            "^[a]{1,2}",
            "^[a]+$",
            "^[a]{2}$",
            "^a{1,2}$",
            "^[]{1,2}$",
            "^[^a]{1,2}$",
            "^[a-]{1,2}$",
        ] {
            assert_eq!(parse(pattern), None, "{pattern}");
        }
        for pattern in [r"^[\d]{1,2}$", "^[z-a]{1,2}$", "^[a]{2,1}$", "^[a]{,1}$", "^([a]{1,2})$", ""] {
            assert_eq!(parse(pattern), None, "{pattern}");
        }
    }
}
