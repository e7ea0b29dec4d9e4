//! `zeroclaw chat` with prompts that are piped in, a line each.

use crate::program::Home;
use crate::stdio::told;

#[test]
fn a_line_is_a_prompt_and_its_answer_is_printed() {
    let home = Home::new();
    let _daemon = home.start();
    let said = told(home.command(&["chat", "--session", "s"]), "hello @think hm @say there\n\n@max_tokens\n");
    assert_eq!((said.status.code(), said.err.as_str()), (Some(0), ""), "{said:?}");
    assert_eq!(said.out, "hello \n(hm )\nthere\n[the model's output limit was reached]\n");
}

#[test]
fn a_session_is_gone_on_with_by_its_id() {
    let home = Home::new();
    let _daemon = home.start();
    for _ in 0..2 {
        told(home.command(&["chat", "--session", "s"]), "again\n");
    }
    let listed = home.run(&["call", "session/list"]);
    assert!(
        listed.out.contains(r#""sessionId":"s""#) && listed.out.contains(r#""messageCount":4"#),
        "{listed:?}"
    );
}

#[test]
fn a_failed_turn_is_said_and_shows_in_the_exit_status() {
    let home = Home::new();
    let _daemon = home.start();
    let said = told(home.command(&["chat"]), "@fail\nstill here\n");
    assert_eq!(said.status.code(), Some(1), "{said:?}");
    assert_eq!(said.out, "[the turn failed]\nstill here\n");
}

#[test]
fn what_cannot_begin_says_why() {
    let home = Home::new();
    let alone = told(home.command(&["chat"]), "");
    assert!(
        alone.status.code() == Some(2) && alone.err.contains("start one with `zeroclaw daemon`"),
        "{alone:?}"
    );
    let _daemon = home.start();
    let nobody = told(home.command(&["chat", "--agent", "nobody"]), "");
    assert!(nobody.status.code() == Some(2) && nobody.err.contains("no agent has this alias"), "{nobody:?}");
}
