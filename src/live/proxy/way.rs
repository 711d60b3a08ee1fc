//! The directions: up and down.

/// A direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Way {
    /// From the client to the server.
    Up,
    /// From the server to the client.
    Down,
}

crate::named!(Way: Up = "up", Down = "down");

impl Way {
    /// Returns 0 or 1.
    pub fn index(self) -> usize {
        self as usize
    }

    /// Returns the opposite direction.
    pub fn other(self) -> Way {
        match self {
            Way::Up => Way::Down,
            Way::Down => Way::Up,
        }
    }
}
