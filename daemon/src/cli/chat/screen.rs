//! How a conversation looks: the answer as it is, everything else dimmed or in brackets. What an agent says never acts
//! on the terminal.

use std::io::{self, Write as _};
use zeroclaw_spec::{SessionUpdateParams, StopReason};

const DIM: &str = "\x1b[2m";
const PLAIN: &str = "\x1b[0m";

/// What the line that the cursor is on belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Line {
    Empty,
    Answer,
    Thought,
}

/// Standard output, as one line after another.
#[derive(Debug)]
pub(super) struct Screen {
    colour: bool,
    line: Line,
}

impl Screen {
    pub(super) fn new() -> Self {
        Self { colour: super::super::is_colourful(&io::stdout()), line: Line::Empty }
    }

    /// Asks for a prompt.
    pub(super) fn ask(&mut self) -> io::Result<()> {
        self.end_line()?;
        self.write("> ")
    }

    /// Shows what happened in a turn.
    pub(super) fn show(&mut self, update: &SessionUpdateParams) -> io::Result<()> {
        match update {
            SessionUpdateParams::AgentMessageChunk(chunk) => self.stream(Line::Answer, &chunk.text),
            SessionUpdateParams::AgentThoughtChunk(chunk) => self.stream(Line::Thought, &chunk.text),
            SessionUpdateParams::ToolCall(call) => self.note(&format!("{} …", call.name)),
            SessionUpdateParams::ToolResult(result) => self.note(&format!("{} is done", result.name)),
            SessionUpdateParams::HistoryTrimmed(trimmed) => self
                .note(&format!("{} older messages are no longer in the context", trimmed.dropped_messages)),
            _ => Ok(()),
        }
    }

    /// Says why a turn stopped, where that is not simply its end.
    pub(super) fn stopped(&mut self, reason: StopReason) -> io::Result<()> {
        match reason {
            StopReason::EndTurn => self.end_line(),
            StopReason::Cancelled => self.note("cancelled"),
            StopReason::MaxTokens => self.note("the model's output limit was reached"),
            StopReason::Refusal => self.note("the model refused to go on"),
        }
    }

    /// A line beside the conversation.
    pub(super) fn note(&mut self, text: &str) -> io::Result<()> {
        self.end_line()?;
        let text = harmless(text);
        self.write(&if self.colour { format!("{DIM}[{text}]{PLAIN}\n") } else { format!("[{text}]\n") })
    }

    /// Begins a new line, unless the cursor is at the start of one.
    pub(super) fn end_line(&mut self) -> io::Result<()> {
        match std::mem::replace(&mut self.line, Line::Empty) {
            Line::Empty => Ok(()),
            Line::Answer => self.write("\n"),
            Line::Thought => self.write(if self.colour { "\x1b[0m\n" } else { ")\n" }),
        }
    }

    fn stream(&mut self, line: Line, text: &str) -> io::Result<()> {
        if self.line != line {
            self.end_line()?;
            if line == Line::Thought {
                self.write(if self.colour { DIM } else { "(" })?;
            }
            self.line = line;
        }
        self.write(&harmless(text))
    }

    fn write(&self, text: &str) -> io::Result<()> {
        let mut out = io::stdout().lock();
        out.write_all(text.as_bytes())?;
        out.flush()
    }
}

/// A text whose control characters, but for line feeds and tabs, do nothing.
fn harmless(text: &str) -> String {
    let shown =
        |c: char| if c.is_control() && !matches!(c, '\n' | '\t') { char::REPLACEMENT_CHARACTER } else { c };
    text.chars().map(shown).collect()
}

#[cfg(test)]
mod tests {
    use super::harmless;

    #[test]
    fn what_an_agent_says_does_not_act_on_the_terminal() {
        assert_eq!(
            harmless("a\x1b]0;title\x07b\r\u{9b}2Jc\td\n"),
            "a\u{fffd}]0;title\u{fffd}b\u{fffd}\u{fffd}2Jc\td\n"
        );
    }
}
