//! Enumerations whose variants have stable names.

/// Gives the variants of an enumeration their names: `ALL`, the `name` of a variant, and the variant `named` so.
///
/// ```
/// #[derive(Clone, Copy, Debug, PartialEq)]
/// pub enum Light { Red, Green }
/// netkit::named!(Light: Red = "red", Green = "green");
/// assert_eq!(Light::Green.name(), "green");
/// assert_eq!(Light::named("red"), Some(Light::Red));
/// assert_eq!(Light::ALL.len(), 2);
/// ```
#[doc(hidden)]
#[macro_export]
macro_rules! named {
    ($of:ident: $($variant:ident = $name:literal),+ $(,)?) => {
        impl $of {
            /// All variants.
            #[allow(dead_code, reason = "not every enumeration is listed")]
            pub const ALL: &'static [$of] = &[$($of::$variant),+];

            /// The stable name.
            pub const fn name(self) -> &'static str {
                match self {
                    $($of::$variant => $name,)+
                }
            }

            /// Returns the variant of that name.
            #[allow(dead_code, reason = "not every name is read")]
            pub fn named(name: &str) -> Option<$of> {
                Self::ALL.iter().copied().find(|one| one.name() == name)
            }
        }
    };
}
