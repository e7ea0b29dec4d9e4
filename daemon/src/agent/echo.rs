//! The embedded agent: it says back what it hears, word by word, and needs nothing to do so. Control words in the
//! prompt let a person, or a conformance case, see thoughts, cancellation, failure and long output without a model.
//!
//! | word | what it does |
//! |---|---|
//! | `@think` … `@say` | the words between are thoughts, not text |
//! | `@wait` | nothing more until the turn is cancelled |
//! | `@fail` | the turn fails |
//! | `@max_tokens`, `@refusal` | the turn ends with that stop reason |
//! | `@pour N` | N bytes of text, `0123456789abcdef` over and over |
//! | `@@word` | the text `@word` |

use super::{Agent, AgentError, Event, Events, TurnRequest, Work};
use tokio_util::sync::CancellationToken;
use zeroclaw_spec::StopReason;

const POURED: &str = "0123456789abcdef";

/// Largest piece that `@pour` sends at once, in bytes; a whole number of [`POURED`].
const PIECE: usize = 64 * 1024;

/// The agent that echoes.
#[derive(Debug, Clone, Copy)]
pub struct Echo;

impl Agent for Echo {
    fn turn(&self, request: TurnRequest, events: Events) -> Work {
        Box::pin(async move {
            Turn { events, cancel: request.cancel, thinking: false }.run(&request.prompt).await
        })
    }
}

struct Turn {
    events: Events,
    cancel: CancellationToken,
    thinking: bool,
}

impl Turn {
    async fn run(mut self, prompt: &str) -> Result<StopReason, AgentError> {
        let mut rest = prompt;
        while let Some(word) = next_word(&mut rest) {
            match word.trim_end() {
                "@think" => self.thinking = true,
                "@say" => self.thinking = false,
                "@wait" => {
                    self.cancel.cancelled().await;
                    return Ok(StopReason::Cancelled);
                }
                "@fail" => return Err(AgentError::Asked),
                "@max_tokens" => return Ok(StopReason::MaxTokens),
                "@refusal" => return Ok(StopReason::Refusal),
                "@pour" => {
                    let mut ahead = rest;
                    match next_word(&mut ahead).map(|count| count.trim_end().parse()) {
                        Some(Ok(bytes)) => {
                            rest = ahead;
                            self.pour(bytes).await?;
                        }
                        Some(Err(_)) | None => self.say(word).await?,
                    }
                }
                _ => {
                    self.say(word.strip_prefix('@').filter(|rest| rest.starts_with('@')).unwrap_or(word))
                        .await?
                }
            }
        }
        Ok(StopReason::EndTurn)
    }

    async fn say(&self, text: &str) -> Result<(), AgentError> {
        let event = if self.thinking { Event::Thought } else { Event::Text };
        Ok(self.events.send(event(text.to_owned())).await?)
    }

    async fn pour(&self, mut bytes: usize) -> Result<(), AgentError> {
        let piece = POURED.repeat(PIECE / POURED.len());
        while bytes > 0 {
            let now = bytes.min(PIECE);
            self.say(&piece[..now]).await?;
            bytes -= now;
        }
        Ok(())
    }
}

/// Takes the next word off `rest`, with the white space after it; white space at the start is a word of its own.
fn next_word<'a>(rest: &mut &'a str) -> Option<&'a str> {
    let gap = rest.find(char::is_whitespace).unwrap_or(rest.len());
    let end = rest[gap..].find(|c: char| !c.is_whitespace()).map_or(rest.len(), |next| gap + next);
    let (word, after) = rest.split_at(end);
    *rest = after;
    (!word.is_empty()).then_some(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the agent said as (thoughts, text), and how it ended.
    async fn said(prompt: &str) -> (String, String, Result<StopReason, AgentError>) {
        let (events, mut receiver) = Events::channel();
        let cancel = CancellationToken::new();
        let request = TurnRequest { history: Vec::new(), prompt: prompt.to_owned(), cancel };
        let work = tokio::spawn(Echo.turn(request, events));
        let (mut thoughts, mut text) = (String::new(), String::new());
        while let Some(event) = receiver.recv().await {
            match event {
                Event::Text(piece) => text.push_str(&piece),
                Event::Thought(piece) => thoughts.push_str(&piece),
            }
        }
        (thoughts, text, work.await.unwrap())
    }

    #[tokio::test]
    async fn what_has_no_control_words_comes_back_as_it_was() {
        for prompt in
            ["one", "one two", "  one\t two \n", " ", "a@wait b", "@other", "héllo\u{2003}wörld", "@pour x 5"]
        {
            let (thoughts, text, end) = said(prompt).await;
            assert_eq!((thoughts.as_str(), text.as_str()), ("", prompt));
            assert!(matches!(end, Ok(StopReason::EndTurn)));
        }
    }

    #[tokio::test]
    async fn control_words_act_and_are_not_echoed() {
        let (thoughts, text, end) = said("a @think b c @say d @@wait @max_tokens e").await;
        assert_eq!((thoughts.as_str(), text.as_str()), ("b c ", "a d @wait "));
        assert!(matches!(end, Ok(StopReason::MaxTokens)));
        assert!(matches!(said("a @refusal").await.2, Ok(StopReason::Refusal)));
        assert!(matches!(said("a @fail b").await.2, Err(AgentError::Asked)));
    }

    #[tokio::test]
    async fn poured_text_has_the_length_asked_for() {
        let (_, text, _) = said("@pour 200003 end").await;
        assert_eq!(text.len(), 200_003 + "end".len());
        assert!(text.starts_with("0123456789abcdef0123"));
    }
}
