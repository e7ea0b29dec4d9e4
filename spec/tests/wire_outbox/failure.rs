//! Peers that read too slowly, not at all, or are gone (LI-04, LI-10).

use std::time::Duration;

use tokio::io::{AsyncReadExt, duplex};
use tokio::time::{Instant, advance};
use zeroclaw_spec::wire::{Closed, Failure, Outbox};

use crate::support::{Recorder, TIMEOUT, connect, frame, read_back, settle, waits};

#[tokio::test(start_paused = true)]
async fn a_peer_that_takes_nothing_is_given_up_after_the_time_and_not_before() {
    let (outbox, reader, driver) = connect(10, 200);
    advance(TIMEOUT * 3).await;
    outbox.queue(frame(0, 100)).await.unwrap();
    let offered = Instant::now();
    let waiting = tokio::spawn(outbox.queue(frame(1, 150)));
    let flushed = tokio::spawn({
        let outbox = outbox.clone();
        async move { outbox.flushed().await }
    });
    assert!(matches!(driver.await.unwrap(), Err(Failure::Stalled)));
    assert_eq!(offered.elapsed(), TIMEOUT, "idle time before the frame does not count");
    assert_eq!(waiting.await.unwrap(), Err(Closed), "who waits for room is told");
    assert_eq!(flushed.await.unwrap(), Err(Closed), "and who waits for the queue to empty");
    assert_eq!(outbox.queue(frame(2, 100)).await, Err(Closed));
    assert_eq!(outbox.flushed().await, Err(Closed));
    drop(reader);
}

#[tokio::test(start_paused = true)]
async fn a_frame_that_drips_out_does_not_outlive_its_time() {
    let (outbox, mut reader, driver) = connect(1, 10_000);
    outbox.queue(frame(0, 1_000)).await.unwrap();
    let offered = Instant::now();
    let drip = tokio::spawn(async move {
        loop {
            tokio::time::sleep(TIMEOUT / 20).await;
            if reader.read_u8().await.is_err() {
                return;
            }
        }
    });
    assert!(matches!(driver.await.unwrap(), Err(Failure::Stalled)));
    assert_eq!(offered.elapsed(), TIMEOUT);
    drip.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_slow_reader_is_judged_by_the_frame_not_by_the_queue() {
    let (outbox, mut reader, driver) = connect(1, 10_000);
    for number in 0..50 {
        outbox.queue(frame(number, 100)).await.unwrap();
    }
    outbox.close();
    let start = Instant::now();
    let mut taken = Vec::new();
    for _ in 0..50 {
        tokio::time::sleep(TIMEOUT * 9 / 10).await;
        let mut one = [0; 100];
        reader.read_exact(&mut one).await.unwrap();
        taken.extend(one);
    }
    driver.await.unwrap().unwrap();
    assert!(start.elapsed() > TIMEOUT * 40);
    assert_eq!(read_back(&taken).len(), 50);
}

#[tokio::test(start_paused = true)]
async fn a_stall_can_be_found_by_whoever_queues() {
    // The driver learns of a transport that a producer found full, and sets the clock.
    let (outbox, _reader, driver) = connect(10, 1_000);
    settle().await;
    outbox.queue(frame(0, 100)).await.unwrap();
    advance(TIMEOUT - Duration::from_millis(1)).await;
    settle().await;
    assert!(!driver.is_finished());
    advance(Duration::from_millis(1)).await;
    assert!(matches!(driver.await.unwrap(), Err(Failure::Stalled)));
}

#[tokio::test(start_paused = true)]
async fn a_peer_that_is_gone_is_noticed_by_producers_and_driver() {
    let (outbox, reader, driver) = connect(50, 150);
    outbox.queue(frame(0, 100)).await.unwrap();
    let waiting = outbox.queue(frame(1, 140));
    drop(reader);
    assert!(matches!(driver.await.unwrap(), Err(Failure::Lost(_))));
    assert_eq!(waiting.await, Err(Closed));
    assert_eq!(outbox.queue(frame(2, 100)).await, Err(Closed));
}

#[tokio::test(start_paused = true)]
async fn a_failure_found_by_a_producer_reaches_the_driver() {
    let (outbox, reader, driver) = connect(50, 150);
    settle().await;
    drop(reader);
    // Queued means queued; that the transport is gone shows at the next frame.
    let _ = outbox.queue(frame(0, 100)).await;
    assert!(matches!(driver.await.unwrap(), Err(Failure::Lost(_))));
    assert_eq!(outbox.queue(frame(1, 100)).await, Err(Closed));
}

#[tokio::test(start_paused = true)]
async fn without_its_driver_the_outbox_is_closed() {
    let (writer, mut reader) = duplex(10);
    let (outbox, driver) = Outbox::new(writer, 150, TIMEOUT);
    outbox.queue(frame(0, 100)).await.unwrap();
    let waiting = outbox.queue(frame(1, 100));
    drop(driver);
    assert_eq!(waiting.await, Err(Closed));
    assert_eq!(outbox.queue(frame(2, 100)).await, Err(Closed));
    let mut taken = Vec::new();
    reader.read_to_end(&mut taken).await.unwrap();
    assert_eq!(taken.len(), 10, "the transport was dropped");
}

#[tokio::test(start_paused = true)]
async fn a_transport_that_hoards_bytes_is_flushed_and_may_stall_there() {
    let transport = Recorder::hoarding();
    let (outbox, driver) = Outbox::new(transport.clone(), 1_000, TIMEOUT);
    let driver = tokio::spawn(driver.run());
    outbox.queue(frame(0, 100)).await.unwrap();
    let mut flushed = Box::pin(outbox.flushed());
    settle().await;
    assert!(waits(&mut flushed), "taken is not flushed");
    transport.release();
    flushed.await.unwrap();
    outbox.queue(frame(1, 100)).await.unwrap();
    let offered = Instant::now();
    assert!(matches!(driver.await.unwrap(), Err(Failure::Stalled)));
    assert_eq!(offered.elapsed(), TIMEOUT);
}

#[tokio::test(start_paused = true)]
async fn bytes_that_are_hoarded_leave_before_the_stream_ends() {
    let transport = Recorder::hoarding();
    let (outbox, driver) = Outbox::new(transport.clone(), 1_000, TIMEOUT);
    let driver = tokio::spawn(driver.run());
    outbox.queue(frame(0, 100)).await.unwrap();
    outbox.close();
    settle().await;
    assert!(!transport.is_shut_down());
    transport.release();
    driver.await.unwrap().unwrap();
    assert!(transport.is_shut_down());
}

#[tokio::test(start_paused = true)]
async fn a_transport_that_is_full_is_left_to_the_driver() {
    let transport = Recorder::full();
    let (outbox, driver) = Outbox::new(transport.clone(), 1_000, TIMEOUT);
    let _driver = tokio::spawn(driver.run());
    outbox.queue(frame(0, 100)).await.unwrap();
    settle().await;
    let offers = transport.sizes().len();
    for number in 1..10 {
        outbox.queue(frame(number, 100)).await.unwrap();
        settle().await;
    }
    assert_eq!(transport.sizes().len(), offers, "only who can be woken asks again");
}
