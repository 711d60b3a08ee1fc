//! Declares a protocol's messages as a type, so that the compiler finds each place that names one.

/// Declares a protocol's messages, each with its name in the output. `Message::layout` makes the tables. `Message::of`
/// returns the message of a layout that was made in this way, `Message::named` the message of a name from elsewhere. A
/// name can also be compared with a message.
///
/// ```
/// use netkit::codec::layout::*;
/// netkit::messages! {
///     /// A chat's messages.
///     enum Message {
///         Say = "say",
///         Leave = "leave",
///     }
/// }
/// static LAYOUTS: [Layout; 2] = [
///     Message::Say.layout("words for everybody", &[tag("kind", 8, 1), text("words", Len::Rest)]),
///     Message::Leave.layout("goodbye", &[tag("kind", 8, 2)]),
/// ];
/// assert_eq!(Message::of(&LAYOUTS[1]), Message::Leave);
/// assert_eq!(Message::named("say"), Some(Message::Say));
/// assert!("leave" == Message::Leave);
/// ```
#[macro_export]
macro_rules! messages {
    ($(#[$doc:meta])* $vis:vis enum $messages:ident { $($message:ident = $name:literal),* $(,)? }) => {
        $(#[$doc])*
        // The names are the specification's.
        #[allow(clippy::enum_variant_names)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        $vis enum $messages {
            $(#[doc = concat!("`", $name, "`")] $message,)*
        }

        $crate::named!($messages: $($message = $name),*);

        impl $messages {
            /// Returns a layout of this message.
            pub const fn layout(
                self,
                doc: &'static str,
                fields: &'static [$crate::codec::layout::Field],
            ) -> $crate::codec::layout::Layout {
                $crate::codec::layout::Layout { name: self.name(), doc, fields, index: self as u16 }
            }

            /// Returns the message of a layout that [`layout`](Self::layout) has made.
            #[inline]
            pub fn of(layout: &$crate::codec::layout::Layout) -> $messages {
                Self::ALL[layout.index as usize]
            }
        }

        impl PartialEq<$messages> for &str {
            fn eq(&self, message: &$messages) -> bool {
                *self == message.name()
            }
        }
    };
}
