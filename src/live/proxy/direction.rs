//! The directions: up and down.

/// A direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Direction {
    /// From the client to the server.
    #[default]
    Up,
    /// From the server to the client.
    Down,
}

crate::named!(Direction: Up = "up", Down = "down");

impl Direction {
    /// Returns 0 or 1.
    pub fn index(self) -> usize {
        self as usize
    }

    /// Returns the opposite direction.
    pub fn other(self) -> Direction {
        match self {
            Direction::Up => Direction::Down,
            Direction::Down => Direction::Up,
        }
    }
}
