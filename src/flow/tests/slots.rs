//! Values that share a hash, and the order of use.

use crate::flow::slots::Slots;

#[test]
fn one_hash_for_all() {
    for gone in 0..5u32 {
        let mut slots = Slots::new();
        let places: Vec<u32> = (0..5u32).map(|value| slots.insert(7, value)).collect();
        let find =
            |slots: &Slots<u32>, value| slots.find(7, |&kept| (kept == value).then_some(())).map(|found| found.0);
        assert_eq!(slots.remove(places[gone as usize]).as_deref(), Some(&gone));
        assert_eq!(slots.remove(places[gone as usize]), None);
        for value in 0..6 {
            let expected = places.get(value as usize).filter(|_| value != gone);
            assert_eq!(find(&slots, value), expected.copied(), "{value} without {gone}");
        }
        // Its place is used again.
        assert_eq!(slots.insert(7, 9), places[gone as usize]);
        assert!(find(&slots, 9).is_some() && find(&slots, gone).is_none());
        for index in places {
            slots.remove(index);
        }
        assert_eq!((slots.len(), slots.oldest(), slots.find(7, |_| Some(()))), (0, None, None));
    }
}

#[test]
fn order_of_use() {
    let mut slots = Slots::new();
    let places: Vec<u32> = (0..4u32).map(|value| slots.insert(value.into(), value)).collect();
    for value in [0, 2, 2, 0, 3] {
        slots.touch(places[value]);
    }
    let mut order = Vec::new();
    while let Some(oldest) = slots.oldest() {
        slots.touch(99);
        order.extend(slots.remove(oldest));
    }
    assert_eq!(order.iter().map(|value| **value).collect::<Vec<_>>(), [1, 2, 0, 3]);
}
