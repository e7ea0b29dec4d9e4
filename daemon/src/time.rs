//! Points in time as the wire writes them.

use std::time::{Duration, SystemTime, UNIX_EPOCH};
use zeroclaw_spec::Timestamp;

/// The last millisecond that four digits of a year can write.
const LAST: Duration = Duration::from_millis(253_402_300_799_999);

/// RFC 3339 in UTC with milliseconds, always 24 characters. A clock before 1970 or after 9999 is broken; its times are
/// shown at the nearest end.
pub(crate) fn timestamp(at: SystemTime) -> Timestamp {
    let since = at.duration_since(UNIX_EPOCH).unwrap_or_default().min(LAST);
    let text = humantime::format_rfc3339_millis(UNIX_EPOCH + since).to_string();
    Timestamp::new(text).expect("24 digits and separators are a timestamp")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timestamp_has_24_characters_whatever_the_clock_says() {
        let millis = |millis| timestamp(UNIX_EPOCH + Duration::from_millis(millis));
        assert_eq!(millis(1_772_357_400_000).as_str(), "2026-03-01T09:30:00.000Z");
        // As late as a Windows clock can be, and later than four digits can say.
        assert_eq!(millis(900_000_000_000_000).as_str(), "9999-12-31T23:59:59.999Z");
        assert_eq!(timestamp(UNIX_EPOCH - Duration::from_secs(1)).as_str(), "1970-01-01T00:00:00.000Z");
    }
}
