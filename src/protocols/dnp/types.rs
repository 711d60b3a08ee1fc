//! The setting `dnp.types`: the value types of links whose link_state is not in the input.

use super::values::{TYPES, by_name};
use crate::codec::digits;
use std::collections::BTreeMap;

/// Types by link id.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Types(BTreeMap<u16, Box<[u8]>>);

impl Types {
    /// The types of a link's values.
    pub fn get(&self, link: u16) -> Option<&[u8]> {
        self.0.get(&link).map(|types| &types[..])
    }
}

impl std::str::FromStr for Types {
    type Err = String;

    /// Parses `LINK:TYPE,TYPE,...;LINK:...`, or `none`.
    fn from_str(text: &str) -> Result<Types, String> {
        let mut types = Types::default();
        if matches!(text.trim(), "" | "none") {
            return Ok(types);
        }
        for link in text.split(';').map(str::trim).filter(|link| !link.is_empty()) {
            let (id, names) = link
                .split_once(':')
                .ok_or_else(|| format!("{link:?}: expected LINK:TYPE,TYPE,... as 0:uint8,string"))?;
            let number: u16 =
                digits::unsigned(id.trim()).ok_or_else(|| format!("{id:?}: expected a link id, 0 to 65535"))?;
            let one = |name: &str| {
                by_name(name.trim()).ok_or_else(|| {
                    let near = crate::nearest::nearest(name.trim(), TYPES.iter().map(|(_, known)| *known));
                    format!("no value type {name:?}{}", crate::nearest::hint(near))
                })
            };
            types.0.insert(number, names.split(',').map(one).collect::<Result<_, _>>()?);
        }
        Ok(types)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_by_link() {
        let types: Types = "0:uint16,sint16;7:string".parse().unwrap();
        assert_eq!(types.get(0), Some(&[3, 2][..]));
        assert_eq!(types.get(1), None);
        assert!("0:float".parse::<Types>().is_err());
    }
}
