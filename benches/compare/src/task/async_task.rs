//! async-task, which smol's executors stand on, with a queue on the calling thread.

use std::cell::RefCell;
use std::collections::VecDeque;

use async_task::Runnable;
use orrery_benches::cases::tasks::{add, take_sum};
use orrery_benches::harness::Work;

thread_local! {
    static QUEUE: RefCell<VecDeque<Runnable>> = const { RefCell::new(VecDeque::new()) };
}

struct Spawning {
    size: usize,
    sum: u64,
}

pub(super) fn spawn_run(size: usize, _: u64) -> Box<dyn Work> {
    QUEUE.with_borrow_mut(|queue| queue.reserve(size));
    Box::new(Spawning { size, sum: 0 })
}

impl Work for Spawning {
    fn run(&mut self) {
        let schedule = |task| QUEUE.with_borrow_mut(|queue| queue.push_back(task));
        for number in 0..self.size as u64 {
            let (task, handle) = async_task::spawn(async move { add(number) }, schedule);
            task.schedule();
            handle.detach();
        }
        while let Some(task) = QUEUE.with_borrow_mut(VecDeque::pop_front) {
            task.run();
        }
        self.sum = take_sum();
    }

    fn result(&mut self) -> u64 {
        self.sum
    }
}
