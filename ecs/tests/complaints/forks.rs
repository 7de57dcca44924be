//! Going back: a fork is the whole state, so what comes after it comes again.

use orrery_ecs::{CommandQueue, Commands, Entity, With, World, WorldHash};

use crate::support::{Burden, Ledger, Named, Num, Pos, Random, SeedOnFailure, Token, ignore, pos};

/// Random operations, and every handle that they gave; `all` are the handles given so far.
fn operate(world: &mut World, seed: u64, all: &mut Vec<Entity>, ledger: &Ledger) {
    let mut random = Random::new(seed);
    for number in 0..400_u32 {
        let any = |random: &mut Random| all.get(random.below(all.len().max(1))).copied();
        match (random.below(40), any(&mut random)) {
            (0, _) if random.one_in(4) => world.clear(),
            (1, _) => ignore(world.compact(random.below(3))),
            (2, _) => ignore(world.despawn_where::<(With<Num>, With<Pos>)>()),
            (3, _) => ignore(world.insert_where::<With<Pos>, _>(Burden::new(number, ledger))),
            (4..8, Some(entity)) => {
                let mut queue = CommandQueue::default();
                let mut commands = Commands::new(&mut queue, world);
                commands.despawn(entity);
                all.push(commands.spawn((Num(number), pos(1.0))).id());
                commands.insert(entity, Num(number));
                queue.apply(world);
            }
            (8..14, Some(entity)) => ignore(world.despawn(entity)),
            (14..19, Some(entity)) => ignore(world.insert(entity, (pos(2.0), Num(number)))),
            (19..22, Some(entity)) => ignore(world.remove::<Num>(entity)),
            (22..25, Some(entity)) => ignore(world.take::<(Pos, Burden)>(entity)),
            (25, _) => all.extend(world.spawn_batch((0..30).map(Num))),
            (26..31, _) => all.push(world.spawn((Num(number), Named::new(number, ledger))).id()),
            _ => all.push(world.spawn(Burden::new(number, ledger)).id()),
        }
    }
}

/// Everything that somebody could see of a world: handles and values in order of iteration, what
/// lives under each index, and the hash.
#[derive(Debug, PartialEq)]
struct Seen {
    rows: Vec<(Entity, Option<u32>, Option<u32>)>,
    living: Vec<Option<Entity>>,
    hash: WorldHash,
}

fn see(world: &mut World) -> Seen {
    let mut query = world.query::<(Entity, Option<&Num>, Option<&Burden>)>();
    let rows = query.iter(world);
    let rows =
        rows.map(|(entity, num, burden)| (entity, num.map(|n| n.0), burden.map(|b| b.number)));
    Seen {
        rows: rows.collect(),
        living: (0..3000).map(|index| world.entity_at(index)).collect(),
        hash: world.state_hash(),
    }
}

#[test]
fn after_going_back_to_a_fork_the_same_operations_give_what_they_would_have_given() {
    for seed in 0..20_u64 {
        let _seed = SeedOnFailure(seed);
        let (ledger, mut straight, mut handles) = (Ledger::default(), World::new(), Vec::new());
        operate(&mut straight, seed, &mut handles, &ledger);
        let saved = straight.fork().expect("all can be cloned");
        let mut returned = straight.fork().expect("all can be cloned");
        let mut lost = handles.clone();
        operate(&mut returned, seed + 1000, &mut lost, &ledger);
        assert_ne!(returned.state_hash(), saved.state_hash());
        returned = saved.fork().expect("all can be cloned");
        let mut again = handles.clone();
        operate(&mut straight, seed + 2000, &mut handles, &ledger);
        operate(&mut returned, seed + 2000, &mut again, &ledger);
        assert_eq!(again, handles);
        assert_eq!(see(&mut returned), see(&mut straight));
        drop((saved, straight, returned));
        assert_eq!(ledger.alive(), 0);
    }
}

#[test]
fn ids_and_generations_come_back_bit_for_bit() {
    let ledger = Ledger::default();
    let (mut world, mut handles) = (World::new(), Vec::new());
    operate(&mut world, 5, &mut handles, &ledger);
    let mut saved = world.fork().expect("all can be cloned");
    let before = see(&mut saved);
    // A target whose entity goes and comes in the time that is taken back.
    let target = before.rows[0].0;
    world.despawn(target).expect("it lives");
    let impostor = world.spawn(Num(0)).id();
    assert_eq!(impostor.index(), target.index());
    operate(&mut world, 6, &mut handles, &ledger);
    world = saved;
    assert_eq!(see(&mut world), before);
    assert!(world.contains(target) && !world.contains(impostor));
    // Gone the same way again it gives the same handles again.
    world.despawn(target).expect("it lives");
    assert_eq!(world.spawn(Num(0)).id(), impostor);
}

/// Nobody told the world of these, and nothing has to: what is there is forked and hashed.
#[test]
fn what_nobody_registered_is_taken_back_and_hashed_like_everything_else() {
    #[derive(Clone, Debug, orrery_ecs::Component)]
    struct Forgotten(Vec<(u8, String)>);
    #[derive(Clone, Debug, orrery_ecs::Component)]
    struct Counted(
        #[allow(dead_code, reason = "its life is counted")] Token,
        Option<Box<u64>>,
    );
    let (ledger, mut world) = (Ledger::default(), World::new());
    let text = |text: &str| Forgotten(vec![(1, String::from(text))]);
    let counted = Counted(ledger.token(), Some(Box::new(7)));
    let entity = world.spawn((text("before"), counted)).id();
    let saved = world.fork().expect("all can be cloned");
    let before = saved.state_hash();
    world.get_mut::<Forgotten>(entity).expect("it lives").0[0]
        .1
        .push('!');
    assert_ne!(world.state_hash(), before);
    world.insert(entity, text("before")).expect("it lives");
    assert_eq!(world.state_hash(), before);
    **world
        .get_mut::<Counted>(entity)
        .expect("it lives")
        .1
        .as_mut()
        .expect("set above") = 8;
    assert_ne!(world.state_hash(), before);
    world = saved;
    assert_eq!(world.state_hash(), before);
    assert_eq!(
        world.get::<Counted>(entity).and_then(|c| c.1.as_deref()),
        Some(&7)
    );
    assert_eq!(
        world.get::<Forgotten>(entity).map(|f| f.0[0].1.as_str()),
        Some("before")
    );
}
