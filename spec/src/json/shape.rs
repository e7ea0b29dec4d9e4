//! The names of an object's members: one static table a type, from which both spellings are read and written.

/// How the declared members of an outgoing object are spelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Spelling {
    /// As the spec writes them.
    #[default]
    Documented,
    /// In snake_case, for connections that opened in it (SP-02).
    Snake,
}

/// One declared member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Member {
    documented: &'static str,
    other: &'static str,
    documented_is_snake: bool,
}

impl Member {
    /// A member with its documented and its other spelling; they may be the same.
    pub const fn new(documented: &'static str, other: &'static str) -> Self {
        Self { documented, other, documented_is_snake: is_snake(documented) }
    }

    /// A member that is spelled in one way only.
    pub const fn fixed(name: &'static str) -> Self {
        Self { documented: name, other: name, documented_is_snake: true }
    }

    /// The name as the spec writes it.
    pub const fn documented(&self) -> &'static str {
        self.documented
    }

    /// The other spelling that is understood; the documented one where there is no other.
    pub const fn other(&self) -> &'static str {
        self.other
    }

    /// The name to write.
    pub const fn spelled(&self, spelling: Spelling) -> &'static str {
        match spelling {
            Spelling::Snake if !self.documented_is_snake => self.other,
            _ => self.documented,
        }
    }
}

/// The members of an object type.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    /// The type's name in the spec.
    pub name: &'static str,
    /// Its members, in the spec's order; at most 64.
    pub members: &'static [Member],
    /// The member that tells a variant of a union from the others; it is not among `members`.
    pub tag: Option<&'static str>,
}

impl Shape {
    /// The shape of an object that stands alone.
    pub const fn new(name: &'static str, members: &'static [Member]) -> Self {
        assert!(members.len() <= 64, "a shape has at most 64 members");
        Self { name, members, tag: None }
    }

    /// The shape of a union's variant: `tag` is read by the union.
    pub const fn variant(name: &'static str, tag: &'static str, members: &'static [Member]) -> Self {
        let shape = Self::new(name, members);
        Self { tag: Some(tag), ..shape }
    }

    /// The member of that documented name.
    ///
    /// # Panics
    /// If there is none: at compile time where the result is a constant.
    pub const fn named(&self, documented: &str) -> &'static Member {
        let mut index = 0;
        while index < self.members.len() {
            if same(self.members[index].documented, documented) {
                return &self.members[index];
            }
            index += 1;
        }
        panic!("the shape has no such member")
    }

    /// The member that `name` spells, with whether it is the documented spelling.
    pub(super) fn find(&self, name: &str) -> Option<(usize, bool)> {
        self.members.iter().enumerate().find_map(|(index, member)| {
            if member.documented == name {
                Some((index, true))
            } else {
                (member.other == name).then_some((index, false))
            }
        })
    }
}

const fn same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len() != b.len() {
        return false;
    }
    let mut at = 0;
    while at < a.len() {
        if a[at] != b[at] {
            return false;
        }
        at += 1;
    }
    true
}

const fn is_snake(name: &str) -> bool {
    let bytes = name.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at].is_ascii_uppercase() {
            return false;
        }
        at += 1;
    }
    true
}
