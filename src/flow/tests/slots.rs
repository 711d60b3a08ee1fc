//! Values that share a hash, and the order of use.

use crate::flow::slots::Slots;
use proptest::prelude::*;

#[test]
fn one_hash_for_all() {
    for gone in 0..5u32 {
        let mut slots = Slots::new();
        let places: Vec<u32> = (0..5u32).map(|value| slots.insert(7, value)).collect();
        let find = |slots: &mut Slots<u32>, value| {
            slots.find(7, |&stored| (stored == value).then_some(())).map(|found| found.0)
        };
        assert_eq!(slots.remove(places[gone as usize]).as_deref(), Some(&gone));
        assert_eq!(slots.remove(places[gone as usize]), None);
        for value in 0..6 {
            let expected = places.get(value as usize).filter(|_| value != gone);
            assert_eq!(find(&mut slots, value), expected.copied(), "{value} without {gone}");
        }
        // Its slot is reused.
        assert_eq!(slots.insert(7, 9), places[gone as usize]);
        assert!(find(&mut slots, 9).is_some() && find(&mut slots, gone).is_none());
        for index in places {
            slots.remove(index);
        }
        assert_eq!((slots.len(), slots.oldest(), slots.find(7, |_| Some(()))), (0, None, None));
    }
}

#[test]
fn order_of_use() {
    let mut slots = Slots::new();
    for value in 0..4u64 {
        slots.insert(value, value);
    }
    for value in [0, 2, 2, 0, 3] {
        assert!(slots.find(value, |_| Some(())).is_some());
    }
    let mut order = Vec::new();
    while let Some(oldest) = slots.oldest() {
        assert_eq!(slots.oldest(), Some(oldest));
        order.extend(slots.remove(oldest));
    }
    assert_eq!(order.iter().map(|value| **value).collect::<Vec<_>>(), [1, 2, 0, 3]);
}

proptest! {
    /// Compares with a list that is sorted anew at every use.
    #[test]
    fn order_of_use_as_a_list_has_it(steps in prop::collection::vec((0..4u8, 0..12u64), 0..200)) {
        let (mut slots, mut list) = (Slots::new(), Vec::<u64>::new());
        for (step, value) in steps {
            let place = list.iter().position(|stored| *stored == value);
            match (step, place) {
                (0, _) => {
                    let oldest = slots.oldest();
                    let value = oldest.and_then(|oldest| slots.remove(oldest)).map(|value| *value);
                    prop_assert_eq!(value, (!list.is_empty()).then(|| list.remove(0)));
                }
                (1, Some(place)) => {
                    let found = slots.find(value, |_| Some(())).unwrap();
                    prop_assert_eq!(slots.remove(found.0).map(|value| *value), Some(list.remove(place)));
                }
                (_, Some(place)) => {
                    prop_assert!(slots.find(value, |_| Some(())).is_some());
                    list.remove(place);
                    list.push(value);
                }
                (_, None) => {
                    slots.insert(value, value);
                    list.push(value);
                }
            }
            prop_assert_eq!(slots.len(), list.len());
        }
    }
}
