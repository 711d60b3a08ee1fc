//! The roles of the two sides of a conversation.

/// The sender's role.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Role {
    /// The client.
    Client,
    /// The server.
    Server,
    /// Not known.
    #[default]
    Unknown,
}

crate::named!(Role: Client = "client", Server = "server", Unknown = "unknown");

impl Role {
    /// The other side's role.
    pub const fn other(self) -> Role {
        match self {
            Role::Client => Role::Server,
            Role::Server => Role::Client,
            Role::Unknown => Role::Unknown,
        }
    }
}
