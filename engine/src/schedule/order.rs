//! An order that fits all constraints, or the circle that makes it impossible.

/// Which of some numbered things must come before which.
#[derive(Clone, Debug, Default)]
pub(super) struct Constraints {
    /// For each the ones that come after it.
    after: Vec<Vec<usize>>,
}

impl Constraints {
    pub(super) fn new(count: usize) -> Self {
        Self {
            after: vec![Vec::new(); count],
        }
    }

    pub(super) fn add(&mut self, first: usize, second: usize) {
        if !self.after[first].contains(&second) {
            self.after[first].push(second);
        }
    }

    /// An order that fits; where several do, whoever has the lowest priority is taken first.
    ///
    /// # Errors
    /// A circle: each before the next, and the last before the first.
    pub(super) fn order(&self, priority: impl Fn(usize) -> u64) -> Result<Vec<usize>, Vec<usize>> {
        let count = self.after.len();
        let mut waits = vec![0; count];
        for &second in self.after.iter().flatten() {
            waits[second] += 1;
        }
        let mut ready: std::collections::BTreeSet<(u64, usize)> = (0..count)
            .filter(|&one| waits[one] == 0)
            .map(|one| (priority(one), one))
            .collect();
        let mut order = Vec::with_capacity(count);
        while let Some((_, one)) = ready.pop_first() {
            order.push(one);
            for &next in &self.after[one] {
                waits[next] -= 1;
                if waits[next] == 0 {
                    ready.insert((priority(next), next));
                }
            }
        }
        match order.len() == count {
            true => Ok(order),
            false => Err(self.circle(&waits)),
        }
    }

    /// A circle among those that still wait for others.
    fn circle(&self, waits: &[usize]) -> Vec<usize> {
        // Each of these waits for another one of them, so going back from any of them comes to a
        // circle.
        let waiting = |&one: &usize| waits[one] > 0;
        let before = |one: usize| {
            let mut all = (0..self.after.len()).filter(waiting);
            all.find(|&first| self.after[first].contains(&one))
        };
        let start = (0..self.after.len()).find(waiting).unwrap_or(0);
        let mut way = vec![start];
        while let Some(first) = before(way[way.len() - 1]) {
            if let Some(at) = way.iter().position(|&one| one == first) {
                let mut circle = way.split_off(at);
                circle.reverse();
                return circle;
            }
            way.push(first);
        }
        way
    }

    /// For each the ones that must come after it, over any number of others.
    pub(super) fn all_after(&self, order: &[usize]) -> Vec<Vec<bool>> {
        let count = self.after.len();
        let mut all = vec![vec![false; count]; count];
        for &one in order.iter().rev() {
            for &next in &self.after[one] {
                let beyond = all[next].clone();
                all[one][next] = true;
                let mut reached = all[one].iter_mut().zip(beyond);
                reached.by_ref().for_each(|(known, new)| *known |= new);
            }
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_constraints_the_order_is_that_of_priorities() {
        let constraints = Constraints::new(4);
        assert_eq!(constraints.order(|one| one as u64), Ok(vec![0, 1, 2, 3]));
        assert_eq!(
            constraints.order(|one| 9 - one as u64),
            Ok(vec![3, 2, 1, 0])
        );
    }

    #[test]
    fn every_order_fits_its_constraints_and_knows_all_that_comes_after() {
        for seed in 0..200_u64 {
            let random = |n: u64| (seed * 40 + n).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 33;
            let count = 2 + random(0) as usize % 12;
            let mut constraints = Constraints::new(count);
            for edge in 0..random(1) % 20 {
                let (a, b) = (random(2 + edge * 2) as usize, random(3 + edge * 2) as usize);
                let (a, b) = (a % count, b % count);
                if a != b {
                    // In the direction of the numbers, so that some order fits.
                    constraints.add(a.max(b), a.min(b));
                }
            }
            let order = constraints
                .order(|one| one as u64)
                .expect("some order fits");
            let place = |one| order.iter().position(|&other| other == one);
            let all = constraints.all_after(&order);
            for (first, after) in constraints.after.iter().enumerate() {
                for &second in after {
                    assert!(place(first) < place(second), "seed {seed}");
                    for beyond in (0..count).filter(|&beyond| all[second][beyond]) {
                        assert!(all[first][beyond], "seed {seed}");
                    }
                    assert!(all[first][second]);
                }
            }
        }
    }

    #[test]
    fn a_circle_is_found_and_each_is_before_the_next() {
        let mut constraints = Constraints::new(6);
        for (first, second) in [(0, 1), (1, 2), (2, 3), (3, 1), (3, 4), (5, 0)] {
            constraints.add(first, second);
        }
        let mut circle = constraints.order(|one| one as u64).expect_err("1, 2, 3");
        let first = circle.iter().position(|&one| one == 1);
        circle.rotate_left(first.unwrap_or(0));
        assert_eq!(circle, [1, 2, 3]);
    }
}
