//! The algorithms of the CRC catalogue whose sums are whole bytes, by name.

use crc::{Algorithm, Crc};
use std::sync::OnceLock;

/// A CRC of the catalogue, with its table.
#[derive(Clone, Copy)]
pub enum Sum {
    /// Up to 8 bits.
    Byte(&'static Crc<u8>),
    /// Up to 16 bits.
    Short(&'static Crc<u16>),
    /// Up to 32 bits.
    Word(&'static Crc<u32>),
    /// Up to 64 bits.
    Long(&'static Crc<u64>),
}

impl std::fmt::Debug for Sum {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Sum")
    }
}

impl Sum {
    /// Computes the sum of these slices, one after the other.
    pub fn of(self, chunks: &[&[u8]]) -> u64 {
        macro_rules! sum {
            ($crc:expr) => {{
                let mut digest = $crc.digest();
                chunks.iter().for_each(|chunk| digest.update(chunk));
                digest.finalize().into()
            }};
        }
        match self {
            Sum::Byte(crc) => sum!(crc),
            Sum::Short(crc) => sum!(crc),
            Sum::Word(crc) => sum!(crc),
            Sum::Long(crc) => sum!(crc),
        }
    }

    /// The width in bits.
    pub fn bits(self) -> u8 {
        match self {
            Sum::Byte(crc) => crc.algorithm.width,
            Sum::Short(crc) => crc.algorithm.width,
            Sum::Word(crc) => crc.algorithm.width,
            Sum::Long(crc) => crc.algorithm.width,
        }
    }
}

/// Returns the letters and digits of a name, in upper case. Names are compared in this form.
fn bare(name: &str) -> impl Iterator<Item = u8> + '_ {
    name.bytes().filter(u8::is_ascii_alphanumeric).map(|b| b.to_ascii_uppercase())
}

/// Returns the algorithm of that name. `crc32` is CRC-32/ISO-HDLC, `crc16` CRC-16/IBM-3740, `crc8` CRC-8/SMBUS, `crc64`
/// CRC-64/XZ; others have the catalogue's names.
pub fn by_name(name: &str) -> Option<Sum> {
    let name = match name {
        "crc32" => "CRC_32_ISO_HDLC",
        "crc16" => "CRC_16_IBM_3740",
        "crc8" => "CRC_8_SMBUS",
        "crc64" => "CRC_64_XZ",
        other => other,
    };
    let is = |(known, _): &(&str, _)| bare(known).eq(bare(name));
    macro_rules! among {
        ($($list:ident $number:ty => $sum:ident;)*) => {$(
            if let Some(place) = $list.iter().position(|(known, _)| is(&(known, ()))) {
                static MADE: [OnceLock<Crc<$number>>; $list.len()] = [const { OnceLock::new() }; $list.len()];
                return Some(Sum::$sum(MADE.get(place)?.get_or_init(|| Crc::<$number>::new($list[place].1))));
            }
        )*};
    }
    among! { BYTES u8 => Byte; SHORTS u16 => Short; WORDS u32 => Word; LONGS u64 => Long; }
    None
}

macro_rules! catalogue {
    ($list:ident $number:ty: $($name:ident)*) => {
        static $list: [(&str, &Algorithm<$number>); [$(stringify!($name)),*].len()] =
            [$((stringify!($name), &crc::$name)),*];
    };
}

catalogue! { BYTES u8:
    CRC_8_AUTOSAR CRC_8_BLUETOOTH CRC_8_CDMA2000 CRC_8_DARC CRC_8_DVB_S2 CRC_8_GSM_A CRC_8_GSM_B
    CRC_8_HITAG CRC_8_I_432_1 CRC_8_I_CODE CRC_8_LTE CRC_8_MAXIM_DOW CRC_8_MIFARE_MAD CRC_8_NRSC_5
    CRC_8_OPENSAFETY CRC_8_ROHC CRC_8_SAE_J1850 CRC_8_SMBUS CRC_8_TECH_3250 CRC_8_WCDMA
}
catalogue! { SHORTS u16:
    CRC_16_ARC CRC_16_CDMA2000 CRC_16_CMS CRC_16_DDS_110 CRC_16_DECT_R CRC_16_DECT_X CRC_16_DNP
    CRC_16_EN_13757 CRC_16_GENIBUS CRC_16_GSM CRC_16_IBM_3740 CRC_16_IBM_SDLC
    CRC_16_ISO_IEC_14443_3_A CRC_16_KERMIT CRC_16_LJ1200 CRC_16_M17 CRC_16_MAXIM_DOW CRC_16_MCRF4XX
    CRC_16_MODBUS CRC_16_NRSC_5 CRC_16_OPENSAFETY_A CRC_16_OPENSAFETY_B CRC_16_PROFIBUS
    CRC_16_RIELLO CRC_16_SPI_FUJITSU CRC_16_T10_DIF CRC_16_TELEDISK CRC_16_TMS37157 CRC_16_UMTS
    CRC_16_USB CRC_16_XMODEM
}
catalogue! { WORDS u32:
    CRC_24_BLE CRC_24_FLEXRAY_A CRC_24_FLEXRAY_B CRC_24_INTERLAKEN CRC_24_LTE_A CRC_24_LTE_B
    CRC_24_OPENPGP CRC_24_OS_9 CRC_32_AIXM CRC_32_AUTOSAR CRC_32_BASE91_D CRC_32_BZIP2
    CRC_32_CD_ROM_EDC CRC_32_CKSUM CRC_32_ISCSI CRC_32_ISO_HDLC CRC_32_JAMCRC CRC_32_MEF
    CRC_32_MPEG_2 CRC_32_XFER
}
catalogue! { LONGS u64:
    CRC_40_GSM CRC_64_ECMA_182 CRC_64_GO_ISO CRC_64_MS CRC_64_NVME CRC_64_REDIS CRC_64_WE CRC_64_XZ
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All names as in the catalogue, but with `_` between their words.
    fn names() -> impl Iterator<Item = &'static str> {
        let (bytes, shorts) = (BYTES.iter().map(|(name, _)| *name), SHORTS.iter().map(|(name, _)| *name));
        bytes.chain(shorts).chain(WORDS.iter().map(|(name, _)| *name)).chain(LONGS.iter().map(|(name, _)| *name))
    }

    #[test]
    fn check_values_of_the_catalogue() {
        let sum = |name: &str| by_name(name).map(|sum| (sum.of(&[b"1234", b"56789"]), sum.bits()));
        assert_eq!(sum("crc32"), Some((0xcbf4_3926, 32)));
        assert_eq!(sum("crc16"), Some((0x29b1, 16)));
        assert_eq!(sum("CRC-16/MODBUS"), Some((0x4b37, 16)));
        assert_eq!(sum("crc-24/openpgp"), Some((0x21cf02, 24)));
        assert_eq!(sum("CRC-64/XZ"), Some((0x995d_c9bb_df19_39fa, 64)));
        assert_eq!(sum("crc-8/smbus"), Some((0xf4, 8)));
        assert_eq!(sum("crc-99/none"), None);
        assert!(names().all(|name| by_name(name).is_some()));
    }
}
