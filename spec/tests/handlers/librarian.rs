//! Handlers of the golden protocol. Compiled against its spec as it is, and against changes of it.

use crate::call::Long;
use crate::json::Fault;
use crate::library::*;

/// Serves the golden protocol.
pub(crate) struct Librarian;

/// Why not.
#[derive(Debug, PartialEq)]
pub(crate) struct Refusal(pub(crate) String);

impl From<Fault> for Refusal {
    fn from(fault: Fault) -> Self {
        Self(fault.to_string())
    }
}

impl Server for Librarian {
    type Call = &'static str;
    type Error = Refusal;
}

impl CoreMethods for Librarian {
    async fn status(&self, _: &'static str, _: StatusParams) -> Result<StatusResult, Refusal> {
        Ok(StatusResult { open: true, limits: Limits::default() })
    }
}

impl BookMethods for Librarian {
    async fn new(&self, reader: &'static str, book: Book) -> Result<BookNewResult, Refusal> {
        let place = WithReader { reader_name: reader.into() }.into();
        Ok(BookNewResult { book_id: book.book_id, place })
    }

    async fn page_turn(&self, _: &'static str, _: PageTurnParams) -> Result<PageTurnResult, Refusal> {
        Err(Refusal("pages only turn forward".into()))
    }

    async fn read(
        &self,
        _: &'static str,
        params: BookReadParams,
    ) -> Result<Long<BookReadResult, Refusal>, Refusal> {
        let pages_read = params.book_id.as_str().len() as u64;
        Ok(Box::pin(async move { Ok(BookReadResult { pages_read }) }))
    }
}
