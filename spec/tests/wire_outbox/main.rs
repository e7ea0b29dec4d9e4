//! The outbox against transports that take little, late or nothing. Time is paused: it passes only where
//! a test says so or where everything waits for it.
#![cfg(feature = "peer")]
#![allow(clippy::unwrap_used, reason = "a test ends at the first surprise, in its helpers too")]

mod failure;
mod support;

use std::collections::VecDeque;
use std::time::Duration;

use proptest::prelude::*;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, duplex};
use tokio::task::yield_now;
use tokio::time::{advance, timeout};
use zeroclaw_spec::wire::{Closed, Outbox};

use crate::support::{Recorder, TIMEOUT, connect, drain, frame, read_back, settle, waits};

#[tokio::test(start_paused = true)]
async fn whoever_queues_writes_at_once_without_the_driver() {
    let (writer, mut reader) = duplex(1_000);
    let (outbox, _driver) = Outbox::new(writer, 1_000, TIMEOUT);
    outbox.queue(frame(1, 100)).await.unwrap();
    assert_eq!(read_back(&drain(&mut reader).await), [(1, 100)]);
    assert_eq!(outbox.queued_bytes(), 0);
}

#[tokio::test(start_paused = true)]
async fn what_the_transport_does_not_take_the_driver_writes() {
    let (outbox, mut reader, driver) = connect(10, 1_000);
    for number in 0..5 {
        outbox.queue(frame(number, 100)).await.unwrap();
    }
    outbox.close();
    let mut taken = Vec::new();
    reader.read_to_end(&mut taken).await.unwrap();
    assert_eq!(read_back(&taken), [(0, 100), (1, 100), (2, 100), (3, 100), (4, 100)]);
    driver.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn producers_wait_for_room_and_get_it_in_the_order_they_came() {
    let (outbox, mut reader, _driver) = connect(1, 250);
    let mut places: Vec<_> = (0..6).map(|number| outbox.queue(frame(number, 100))).collect();
    settle().await;
    // One byte is out and 199 are queued: a third frame has no room.
    assert_eq!(places.iter_mut().map(|place| usize::from(waits(place))).sum::<usize>(), 4);
    assert_eq!(outbox.queued_bytes(), 199);
    let mut taken = vec![0; 60];
    reader.read_exact(&mut taken).await.unwrap();
    settle().await;
    let mut places = places.split_off(2);
    assert!(!waits(&mut places[0]), "the oldest has room now");
    assert!(waits(&mut places[1]));
    assert!(outbox.queued_bytes() <= 250);
    reader.read_buf(&mut taken).await.unwrap();
    drop(places.remove(0));
    tokio::spawn(async move {
        for place in places {
            place.await.unwrap();
        }
        outbox.close();
    });
    reader.read_to_end(&mut taken).await.unwrap();
    assert_eq!(read_back(&taken).iter().map(|frame| frame.0).collect::<Vec<_>>(), [0, 1, 2, 3, 4, 5]);
}

#[tokio::test(start_paused = true)]
async fn a_place_in_the_queue_is_taken_by_the_call_not_by_the_first_poll() {
    let (outbox, mut reader, _driver) = connect(1, 100);
    let _first = outbox.queue(frame(0, 100));
    let second = outbox.queue(frame(1, 100));
    let third = outbox.queue(frame(2, 100));
    let read = tokio::spawn(async move {
        let mut taken = Vec::new();
        reader.read_to_end(&mut taken).await.unwrap();
        taken
    });
    third.await.unwrap();
    second.await.unwrap();
    outbox.close();
    assert_eq!(read_back(&read.await.unwrap()), [(0, 100), (1, 100), (2, 100)]);
}

#[tokio::test(start_paused = true)]
async fn a_frame_above_the_bound_waits_until_it_is_alone() {
    let (outbox, mut reader, _driver) = connect(1, 200);
    let mut places = [outbox.queue(frame(0, 100)), outbox.queue(frame(1, 1_000)), outbox.queue(frame(2, 50))];
    settle().await;
    assert!(!waits(&mut places[0]));
    assert!(waits(&mut places[1]) && waits(&mut places[2]), "and what came after it stays behind it");
    let mut taken = vec![0; 99];
    reader.read_exact(&mut taken).await.unwrap();
    settle().await;
    assert!(!waits(&mut places[1]), "the first frame has left wholly");
    assert!(waits(&mut places[2]), "nothing is queued beside the large one");
    outbox.close();
    reader.read_to_end(&mut taken).await.unwrap();
    assert_eq!(read_back(&taken), [(0, 100), (1, 1_000), (2, 50)]);
    assert!(!waits(&mut places[2]));
}

#[tokio::test(start_paused = true)]
async fn a_producer_that_is_dropped_while_it_waits_takes_its_frame_back() {
    let (outbox, mut reader, _driver) = connect(1, 200);
    outbox.queue(frame(0, 100)).await.unwrap();
    let large = outbox.queue(frame(1, 1_000));
    let mut small = outbox.queue(frame(2, 50));
    assert!(waits(&mut small));
    drop(large);
    assert!(!waits(&mut small), "nothing stands before it any more");
    outbox.close();
    let mut taken = Vec::new();
    reader.read_to_end(&mut taken).await.unwrap();
    assert_eq!(read_back(&taken), [(0, 100), (2, 50)]);
}

#[tokio::test(start_paused = true)]
async fn while_corked_frames_wait_and_then_leave_in_one_write() {
    let transport = Recorder::default();
    let (outbox, driver) = Outbox::new(transport.clone(), 1_000_000, TIMEOUT);
    let driver = tokio::spawn(driver.run());
    outbox.cork();
    for number in 0..10 {
        outbox.queue(frame(number, 100)).await.unwrap();
    }
    advance(TIMEOUT * 2).await;
    settle().await;
    assert_eq!(transport.sizes(), [0_usize; 0], "and held back, they do not stall");
    outbox.uncork();
    assert_eq!(transport.sizes(), [1_000]);
    outbox.queue(frame(10, 100)).await.unwrap();
    assert_eq!(transport.sizes(), [1_000, 100]);
    outbox.close();
    driver.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_cork_holds_nothing_back_that_somebody_waits_for() {
    let transport = Recorder::default();
    let (outbox, driver) = Outbox::new(transport.clone(), 250, TIMEOUT);
    let driver = tokio::spawn(driver.run());
    outbox.cork();
    for number in 0..4 {
        outbox.queue(frame(number, 100)).await.unwrap();
    }
    assert_eq!(
        transport.sizes().iter().sum::<usize>(),
        300,
        "a full queue is written, the rest is held back"
    );
    outbox.flushed().await.unwrap();
    assert_eq!(transport.sizes().iter().sum::<usize>(), 400);
    outbox.queue(frame(4, 100)).await.unwrap();
    outbox.close();
    driver.await.unwrap().unwrap();
    assert_eq!(read_back(&transport.bytes()).len(), 5);
}

#[tokio::test(start_paused = true)]
async fn a_cork_holds_back_no_more_than_is_worth_it() {
    let transport = Recorder::default();
    let (outbox, _driver) = Outbox::new(transport.clone(), 1_000_000, TIMEOUT);
    outbox.cork();
    for number in 0..20 {
        outbox.queue(frame(number, 10_000)).await.unwrap();
    }
    assert_eq!(outbox.queued_bytes(), 60_000);
    assert_eq!(transport.sizes(), [70_000, 70_000]);
}

#[tokio::test(start_paused = true)]
async fn close_lets_what_is_queued_out_and_then_ends_the_stream() {
    let (outbox, mut reader, driver) = connect(7, 150);
    outbox.queue(frame(0, 100)).await.unwrap();
    let waiting = outbox.queue(frame(1, 100));
    outbox.close();
    assert_eq!(outbox.queue(frame(2, 100)).await, Err(Closed));
    let mut taken = Vec::new();
    reader.read_to_end(&mut taken).await.unwrap();
    assert_eq!(read_back(&taken), [(0, 100), (1, 100)]);
    driver.await.unwrap().unwrap();
    assert_eq!(waiting.await, Ok(()), "it was written, though it is asked only now");
}

#[tokio::test(start_paused = true)]
async fn an_idle_outbox_closes_too() {
    let (outbox, mut reader, driver) = connect(7, 150);
    settle().await;
    outbox.close();
    driver.await.unwrap().unwrap();
    assert_eq!(reader.read(&mut [0]).await.unwrap(), 0);
}

#[tokio::test(start_paused = true)]
async fn the_last_handle_closes_the_outbox() {
    let (outbox, mut reader, driver) = connect(7, 150);
    let other = outbox.clone();
    drop(outbox);
    other.queue(frame(0, 100)).await.unwrap();
    drop(other);
    let mut taken = Vec::new();
    reader.read_to_end(&mut taken).await.unwrap();
    assert_eq!(read_back(&taken), [(0, 100)]);
    driver.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn flushed_waits_for_what_was_queued_before_and_not_for_more() {
    let (outbox, mut reader, _driver) = connect(1, 150);
    let (_first, _second) = (outbox.queue(frame(0, 100)), outbox.queue(frame(1, 100)));
    let mut flushed = Box::pin(outbox.flushed());
    assert!(waits(&mut flushed));
    let _third = outbox.queue(frame(2, 100));
    let mut taken = vec![0; 150];
    reader.read_exact(&mut taken).await.unwrap();
    settle().await;
    assert!(waits(&mut flushed));
    let mut taken = vec![0; 49];
    reader.read_exact(&mut taken).await.unwrap();
    flushed.await.unwrap();
    assert!(outbox.queued_bytes() > 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn frames_of_many_threads_leave_whole_and_in_each_one_s_order() {
    let (writer, reader) = duplex(61);
    many_producers(writer, reader).await;
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn the_same_through_a_socket_of_the_system() {
    let (writer, reader) = tokio::net::UnixStream::pair().unwrap();
    many_producers(writer, reader).await;
}

async fn many_producers(
    writer: impl AsyncWrite + Send + Unpin + 'static,
    mut reader: impl AsyncRead + Send + Unpin,
) {
    const PRODUCERS: usize = 8;
    const EACH: usize = 300;
    let (outbox, driver) = Outbox::new(writer, 2_000, TIMEOUT);
    let driver = tokio::spawn(driver.run());
    let producers: Vec<_> = (0..PRODUCERS)
        .map(|producer| {
            let outbox = outbox.clone();
            tokio::spawn(async move {
                for number in 0..EACH {
                    let size = 80 + (number * 37 + producer * 101) % 900;
                    outbox.queue(frame(number * PRODUCERS + producer, size)).await.unwrap();
                    if number % 7 == 0 {
                        outbox.cork();
                        yield_now().await;
                        outbox.uncork();
                    }
                }
            })
        })
        .collect();
    drop(outbox);
    let mut taken = Vec::new();
    reader.read_to_end(&mut taken).await.unwrap();
    for producer in producers {
        producer.await.unwrap();
    }
    driver.await.unwrap().unwrap();
    let mut next = [0; PRODUCERS];
    for (name, _) in read_back(&taken) {
        assert_eq!(name / PRODUCERS, next[name % PRODUCERS], "out of order");
        next[name % PRODUCERS] += 1;
    }
    assert_eq!(next, [EACH; PRODUCERS]);
}

#[derive(Debug, Clone)]
enum Step {
    Queue(usize),
    /// Drops the oldest or the newest frame that still waits.
    GiveUp(bool),
    Cork(bool),
    Read(usize),
    Settle,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        6 => (60_usize..400).prop_map(Step::Queue),
        1 => (400_usize..2_000).prop_map(Step::Queue),
        1 => any::<bool>().prop_map(Step::GiveUp),
        2 => any::<bool>().prop_map(Step::Cork),
        4 => (1_usize..600).prop_map(Step::Read),
        1 => Just(Step::Settle),
    ];
    prop::collection::vec(step, 0..60)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn what_is_queued_and_not_taken_back_arrives_in_order(
        steps in steps(), capacity in 1_usize..500, bound in 100_usize..1_000,
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        runtime.block_on(async {
            let (outbox, mut reader, driver) = connect(capacity, bound);
            let mut expected = Vec::new();
            let mut waiting = VecDeque::new();
            let mut taken = Vec::new();
            for (number, step) in steps.into_iter().enumerate() {
                match step {
                    Step::Queue(size) => {
                        expected.push((number, size));
                        waiting.push_back((number, outbox.queue(frame(number, size))));
                    }
                    Step::GiveUp(oldest) => {
                        waiting.retain_mut(|(_, place)| waits(place));
                        let given_up = if oldest { waiting.pop_front() } else { waiting.pop_back() };
                        expected.retain(|(number, _)| given_up.as_ref().is_none_or(|(other, _)| other != number));
                    }
                    Step::Cork(true) => outbox.cork(),
                    Step::Cork(false) => outbox.uncork(),
                    Step::Read(count) => {
                        let mut part = vec![0; count];
                        if let Ok(count) = timeout(Duration::from_millis(1), reader.read(&mut part)).await {
                            taken.extend(&part[..count.unwrap()]);
                        }
                    }
                    Step::Settle => settle().await,
                }
                assert!(outbox.queued_bytes() <= bound.max(2_000));
            }
            outbox.close();
            timeout(TIMEOUT * 100, reader.read_to_end(&mut taken)).await.expect("no frame is stuck").unwrap();
            driver.await.unwrap().unwrap();
            assert_eq!(read_back(&taken), expected);
            for (_, place) in waiting {
                place.await.unwrap();
            }
        });
    }
}
