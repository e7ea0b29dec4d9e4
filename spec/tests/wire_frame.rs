//! The line reader against a model that sees the whole stream at once (section 2, LI-01).

use proptest::prelude::*;
use zeroclaw_spec::wire::{FrameReader, TooLarge};

/// What section 2 makes of a whole stream: its frames up to the first that is too large.
fn model(stream: &[u8], limit: usize) -> (Vec<Vec<u8>>, bool) {
    let mut frames = Vec::new();
    for line in stream.split_inclusive(|&byte| byte == b'\n') {
        let text = line.strip_suffix(b"\n").unwrap_or(line);
        let Some(first) = text.iter().position(|byte| !b" \t\r".contains(byte)) else { continue };
        if line.len() > limit {
            return (frames, true);
        }
        let text = &text[first..];
        frames.push(text.strip_suffix(b"\r").unwrap_or(text).to_vec());
    }
    (frames, false)
}

/// Feeds the stream in pieces that end at `cuts`, and takes frames after each.
fn read(stream: &[u8], cuts: &[usize], limit: usize) -> (Vec<Vec<u8>>, bool) {
    let mut reader = FrameReader::new(limit);
    let mut frames = Vec::new();
    let mut drain = |reader: &mut FrameReader| loop {
        let announced = reader.has_complete_frame();
        match reader.next_frame() {
            Ok(Some(frame)) => frames.push(frame.to_vec()),
            Ok(None) => {
                assert!(!announced, "a frame was announced and did not come");
                assert!(reader.buffered() <= limit, "more is held than a frame may be large");
                assert_eq!(reader.is_partial(), reader.buffered() > 0);
                return false;
            }
            Err(TooLarge { .. }) => {
                assert_eq!(reader.buffered(), 0);
                return true;
            }
        }
    };
    let mut start = 0;
    for &cut in cuts.iter().chain([&stream.len()]) {
        reader.extend(&stream[start..cut]);
        start = cut;
        if drain(&mut reader) {
            return (frames, true);
        }
    }
    reader.finish();
    let too_large = drain(&mut reader);
    (frames, too_large)
}

fn stream() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        4 => Just(b"\n".to_vec()),
        2 => Just(b"\r\n".to_vec()),
        1 => prop::collection::vec(prop::sample::select(&b" \t\r"[..]), 0..6),
        3 => prop::collection::vec(prop::sample::select(&b"{}\"a \r\xe2\x80\xa8\xff"[..]), 0..12),
    ];
    prop::collection::vec(piece, 0..20).prop_map(|pieces| pieces.concat())
}

/// A stream and where to cut it.
fn cut_stream() -> impl Strategy<Value = (Vec<u8>, Vec<usize>)> {
    stream().prop_flat_map(|stream| {
        let cuts = prop::collection::vec(0..=stream.len(), 0..8).prop_map(|mut cuts| {
            cuts.sort_unstable();
            cuts
        });
        (Just(stream), cuts)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn any_cut_gives_the_same_frames((stream, cuts) in cut_stream(), limit in 1_usize..40) {
        let expected = model(&stream, limit);
        prop_assert_eq!(&read(&stream, &cuts, limit), &expected);
        prop_assert_eq!(&read(&stream, &[], limit), &expected);
        let each: Vec<usize> = (0..stream.len()).collect();
        prop_assert_eq!(&read(&stream, &each, limit), &expected);
    }

    #[test]
    fn any_bytes_give_frames_without_a_line_feed(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let (frames, too_large) = read(&bytes, &[], 100);
        prop_assert!(frames.iter().all(|frame| frame.len() <= 100 && !frame.contains(&b'\n')));
        prop_assert_eq!((frames, too_large), model(&bytes, 100));
    }
}

#[test]
fn a_frame_of_exactly_the_limit_is_served_and_one_byte_more_is_refused() {
    for (stream, fits) in
        [(&b"1234567\n"[..], true), (b"12345678\n", false), (b"12345678", true), (b"123456789", false)]
    {
        assert_eq!(read(stream, &[], 8).1, !fits, "{stream:?}");
    }
    assert!(!read(b"12345\r\n", &[], 7).1, "a dropped CR counts");
    assert!(read(b"123456\r\n", &[], 7).1, "a dropped CR counts");
    assert!(read(b"   12345\n", &[], 8).1, "leading blanks count");
}

#[test]
fn a_frame_is_refused_before_its_end_has_come() {
    let mut reader = FrameReader::new(8);
    reader.extend(b"12345678");
    assert_eq!(reader.next_frame(), Ok(None), "the stream may end here");
    reader.extend(b"9");
    assert_eq!(reader.next_frame(), Err(TooLarge { limit: 8 }));
    assert_eq!(reader.next_frame(), Err(TooLarge { limit: 8 }), "and there is no way back");
    assert!(!reader.has_complete_frame() && !reader.is_partial());
}

#[test]
fn frames_before_one_that_is_too_large_are_served() {
    assert_eq!(read(b"1\n2\n123456789\n3\n", &[], 8), (vec![b"1".to_vec(), b"2".to_vec()], true));
}

#[test]
fn blank_lines_have_no_limit_and_take_no_memory() {
    let mut reader = FrameReader::new(8);
    for _ in 0..100 {
        reader.extend(b" \t\r   \t\r");
        assert_eq!(reader.next_frame(), Ok(None));
        assert!(!reader.is_partial(), "blanks do not begin a frame");
        assert_eq!(reader.buffered(), 0);
    }
    reader.extend(b"\n{}\n");
    assert_eq!(reader.next_frame().unwrap().as_deref(), Some(&b"{}"[..]));
}

#[test]
fn a_frame_begins_with_its_first_byte_that_is_not_blank() {
    let mut reader = FrameReader::new(100);
    reader.extend(b"\r\n  ");
    assert!(!reader.is_partial());
    reader.extend(b"{");
    assert!(reader.is_partial() && !reader.has_complete_frame());
    reader.extend(b"}\n");
    assert!(!reader.is_partial() && reader.has_complete_frame());
    reader.extend(b"{");
    assert_eq!(reader.next_frame().unwrap().as_deref(), Some(&b"{}"[..]));
    assert!(reader.is_partial(), "the next one has begun");
}

#[test]
fn only_a_line_feed_ends_a_frame() {
    let stream = "{\"a\":\"\u{2028}\u{85}\"}\r{}\u{b}\u{c}\n".as_bytes();
    assert_eq!(read(stream, &[], 100).0, vec![stream[..stream.len() - 1].to_vec()]);
}

#[test]
fn bytes_that_come_one_at_a_time_are_each_looked_at_once() {
    // A reader that looked at everything anew would look at 2^41 bytes here.
    let mut reader = FrameReader::new(1 << 22);
    for _ in 0..1 << 21 {
        reader.extend(b"x");
        assert_eq!(reader.next_frame(), Ok(None));
    }
    reader.extend(b"\n");
    assert_eq!(reader.next_frame().unwrap().map(|frame| frame.len()), Some(1 << 21));
}

#[test]
fn frames_already_taken_outlive_what_is_read_later() {
    let mut reader = FrameReader::new(1 << 20);
    let mut kept = Vec::new();
    for number in 0..2_000 {
        reader.extend(format!("{number}{}\n", "x".repeat(number % 500 * 200)).as_bytes());
        kept.push(reader.next_frame().unwrap().unwrap());
    }
    for (number, frame) in kept.iter().enumerate() {
        assert_eq!(frame.len(), number.to_string().len() + number % 500 * 200);
        assert!(frame.starts_with(number.to_string().as_bytes()));
    }
}

#[test]
fn there_is_always_room_for_the_next_read() {
    use bytes::BufMut;
    let mut reader = FrameReader::new(64);
    for _ in 0..1_000 {
        let mut room = reader.room();
        assert!(room.remaining_mut() > 0);
        let count = room.remaining_mut().min(100);
        room.put_bytes(b'\n', count);
        assert_eq!(reader.next_frame(), Ok(None));
    }
}
