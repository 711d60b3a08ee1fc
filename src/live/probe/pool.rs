//! Handles several targets at once, a few at a time, and passes on their reports in order.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

/// A report of a worker.
enum News<T> {
    Item(T),
    Done,
}

/// Runs `work` for the numbers below `count`, at most `parallel` at once, and passes its reports to `on`: first all of
/// number 0, as soon as they are made, then all of 1, and so on.
///
/// Reports of later numbers wait in memory until the earlier numbers are done. If `on` returns `false`, nobody reads
/// the reports any more: numbers that have not begun are left out.
pub fn run<T: Send>(
    count: usize,
    parallel: usize,
    work: impl Fn(usize, &dyn Fn(T)) + Sync,
    mut on: impl FnMut(usize, T) -> bool,
) {
    let next = AtomicUsize::new(0);
    let (sender, news_of) = mpsc::channel::<(usize, News<T>)>();
    std::thread::scope(|scope| {
        for _ in 0..parallel.clamp(1, count.max(1)) {
            let (sender, next, work) = (sender.clone(), &next, &work);
            scope.spawn(move || {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= count {
                        break;
                    }
                    // If nobody reads the reports any more, there is nobody to inform.
                    work(number, &|item| _ = sender.send((number, News::Item(item))));
                    let _ = sender.send((number, News::Done));
                }
            });
        }
        drop(sender);
        let mut waiting: VecDeque<Vec<News<T>>> = VecDeque::new();
        let mut current = 0;
        for (number, news) in news_of {
            let place = number - current;
            while waiting.len() <= place {
                waiting.push_back(Vec::new());
            }
            if let Some(list) = waiting.get_mut(place) {
                list.push(news);
            }
            while let Some(list) = waiting.front_mut() {
                let mut done = false;
                for news in list.drain(..) {
                    match news {
                        News::Item(item) => {
                            if !on(current, item) {
                                next.store(count, Ordering::Relaxed);
                            }
                        }
                        News::Done => done = true,
                    }
                }
                if !done {
                    break;
                }
                waiting.pop_front();
                current += 1;
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Barrier;
    use std::sync::atomic::AtomicBool;

    #[test]
    fn in_order_and_bounded() {
        let (busy, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let mut news_of = Vec::new();
        let (three, ended) = (Barrier::new(3), [const { AtomicBool::new(false) }; 9]);
        // Each three begin together and end in reverse order.
        let work = |number: usize, report: &dyn Fn(usize)| {
            let now = busy.fetch_add(1, Ordering::SeqCst) + 1;
            most.fetch_max(now, Ordering::SeqCst);
            report(1);
            three.wait();
            while number % 3 != 2 && !ended[number + 1].load(Ordering::SeqCst) {
                std::thread::yield_now();
            }
            report(2);
            busy.fetch_sub(1, Ordering::SeqCst);
            ended[number].store(true, Ordering::SeqCst);
        };
        run(9, 3, work, |number, item| {
            news_of.push((number, item));
            true
        });
        assert_eq!(news_of, (0..9).flat_map(|n| [(n, 1), (n, 2)]).collect::<Vec<_>>());
        assert_eq!(most.load(Ordering::SeqCst), 3);
    }
}
