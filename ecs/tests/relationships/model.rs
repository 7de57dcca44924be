//! Random operations on trees: both sides are what a plain model says, in forks too.

use std::collections::BTreeMap;

use orrery_ecs::{ChildOf, Children, CommandQueue, Commands, Entity, World};

use crate::support::{Num, Random, SeedOnFailure};

/// Parents and ordered lists of children.
#[derive(Clone, Default, PartialEq, Debug)]
struct Model {
    parents: BTreeMap<Entity, Option<Entity>>,
    lists: BTreeMap<Entity, Vec<Entity>>,
    refused: u64,
}

impl Model {
    fn leave(&mut self, child: Entity) {
        if let Some(Some(parent)) = self.parents.insert(child, None)
            && let Some(list) = self.lists.get_mut(&parent)
        {
            list.retain(|&other| other != child);
            if list.is_empty() {
                self.lists.remove(&parent);
            }
        }
    }

    fn is_above(&self, above: Entity, below: Entity) -> bool {
        let mut at = Some(below);
        while let Some(entity) = at {
            if entity == above {
                return true;
            }
            at = self.parents.get(&entity).copied().flatten();
        }
        false
    }

    fn relate(&mut self, child: Entity, parent: Entity) {
        if !self.parents.contains_key(&child) {
            return;
        }
        if self.is_above(child, parent) {
            self.refused += 1;
        } else if !self.parents.contains_key(&parent) {
            self.refused += 1;
            self.despawn(child);
        } else if self.parents[&child] != Some(parent) {
            self.leave(child);
            self.parents.insert(child, Some(parent));
            self.lists.entry(parent).or_default().push(child);
        }
    }

    fn despawn(&mut self, entity: Entity) {
        if !self.parents.contains_key(&entity) {
            return;
        }
        self.leave(entity);
        self.parents.remove(&entity);
        for child in self.lists.remove(&entity).unwrap_or_default() {
            self.parents.insert(child, None);
            self.despawn(child);
        }
    }

    fn check(&self, world: &mut World) {
        assert_eq!(world.len(), self.parents.len());
        for (&entity, &parent) in &self.parents {
            assert_eq!(world.parent(entity), parent);
            let list = self.lists.get(&entity).map_or(&[][..], |list| list);
            assert_eq!(world.children(entity), list);
            assert_eq!(world.get::<Children>(entity).is_some(), !list.is_empty());
        }
        assert_eq!(world.observer_error_count(), self.refused);
    }
}

fn step(world: &mut World, model: &mut Model, random: &mut Random, handles: &mut Vec<Entity>) {
    let pick = |random: &mut Random| handles[random.below(handles.len())];
    let (one, other) = (pick(random), pick(random));
    match random.below(11) {
        0 | 1 => {
            let new = world.spawn(Num(1)).id();
            model.parents.insert(new, None);
            handles.push(new);
        }
        2 | 3 => {
            let new = world.spawn((ChildOf(one), Num(2))).id();
            model.parents.insert(new, None);
            model.relate(new, one);
            handles.push(new);
        }
        4 => {
            let _ = world.insert(one, ChildOf(other));
            model.relate(one, other);
        }
        5 => {
            let mut queue = CommandQueue::default();
            let mut commands = Commands::new(&mut queue, world);
            commands.entity(one).insert((Num(3), ChildOf(other)));
            let new = commands.spawn(Num(4)).insert(ChildOf(one)).id();
            queue.apply(world);
            model.relate(one, other);
            model.parents.insert(new, None);
            model.relate(new, one);
            handles.push(new);
        }
        6 => {
            let related = world.relate(one, ChildOf(other)).is_ok();
            let allowed = model.parents.contains_key(&one)
                && model.parents.contains_key(&other)
                && !model.is_above(one, other);
            assert_eq!(related, allowed);
            if allowed {
                model.relate(one, other);
            }
        }
        7 => {
            let _ = world.remove::<ChildOf>(one);
            if model.parents.contains_key(&one) {
                model.leave(one);
            }
        }
        8 => {
            let new: Vec<Entity> = world.spawn_batch([(Num(5), ChildOf(one)); 3]).collect();
            for &new in &new {
                model.parents.insert(new, None);
                model.relate(new, one);
            }
            handles.extend(new);
        }
        9 => {
            let _ = world.despawn(one);
            model.despawn(one);
        }
        _ => {
            let _ = world.remove::<Children>(one);
            for child in model.lists.get(&one).cloned().unwrap_or_default() {
                model.leave(child);
            }
        }
    }
}

#[test]
fn both_sides_are_what_a_plain_model_says() {
    for seed in 0..20 {
        let _guard = SeedOnFailure(seed);
        let mut random = Random::new(seed);
        let (mut world, mut model) = (World::new(), Model::default());
        let first = world.spawn(()).id();
        model.parents.insert(first, None);
        let mut handles = vec![first];
        for _ in 0..300 {
            step(&mut world, &mut model, &mut random, &mut handles);
            model.check(&mut world);
        }
        // The fork goes the same way, and both come to the same state.
        let mut fork = world.fork().expect("all can be cloned");
        let (mut same, mut there, mut again) = (random.clone(), model.clone(), handles.clone());
        for _ in 0..100 {
            step(&mut world, &mut model, &mut random, &mut handles);
            step(&mut fork, &mut there, &mut same, &mut again);
        }
        assert_eq!(there.parents, model.parents);
        assert_eq!(fork.state_hash(), world.state_hash());
        model.check(&mut world);
    }
}
