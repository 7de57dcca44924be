//! Bundles that the model knows: each component holds one number, or only whether it is there.

use orrery_ecs::Bundle;

use crate::support::{Ghost, Ledger, Named, Num, Parts, Pos, Wide};

/// Ghosts of the model test.
pub(crate) type Spirit = Ghost<0>;

/// Number of component kinds, and their places in a model's row.
pub(crate) const KINDS: usize = 6;
pub(crate) const NUM: usize = 0;
pub(crate) const POS: usize = 1;
pub(crate) const NAMED: usize = 2;
pub(crate) const GHOST: usize = 3;
pub(crate) const PARTS: usize = 4;
pub(crate) const WIDE: usize = 5;

/// A bundle made of one number.
pub(crate) trait Shape: Bundle + Clone {
    fn make(value: u32, ledger: &Ledger) -> Self;
    /// Gives the kind and number of each component.
    fn read(&self, each: &mut dyn FnMut(usize, u32));
}

impl Shape for Num {
    fn make(value: u32, _: &Ledger) -> Self {
        Self(value)
    }

    fn read(&self, each: &mut dyn FnMut(usize, u32)) {
        each(NUM, self.0);
    }
}

impl Shape for Pos {
    fn make(value: u32, _: &Ledger) -> Self {
        let x = value as f32;
        Self {
            x,
            y: -x,
            z: x * 0.5,
        }
    }

    fn read(&self, each: &mut dyn FnMut(usize, u32)) {
        assert_eq!((self.y, self.z), (-self.x, self.x * 0.5));
        each(POS, self.x as u32);
    }
}

impl Shape for Named {
    fn make(value: u32, ledger: &Ledger) -> Self {
        Self::new(value, ledger)
    }

    fn read(&self, each: &mut dyn FnMut(usize, u32)) {
        each(NAMED, self.number());
    }
}

impl Shape for Spirit {
    fn make(_: u32, _: &Ledger) -> Self {
        Self::new()
    }

    fn read(&self, each: &mut dyn FnMut(usize, u32)) {
        each(GHOST, 0);
    }
}

impl Shape for Parts {
    fn make(value: u32, _: &Ledger) -> Self {
        Self {
            a: value as f32,
            b: -f64::from(value),
            c: value as u16,
        }
    }

    fn read(&self, each: &mut dyn FnMut(usize, u32)) {
        let value = self.a as u32;
        assert_eq!((self.b, self.c), (-f64::from(value), value as u16));
        each(PARTS, value);
    }
}

impl Shape for Wide {
    fn make(value: u32, _: &Ledger) -> Self {
        Self(u64::from(value))
    }

    fn read(&self, each: &mut dyn FnMut(usize, u32)) {
        assert!(std::ptr::from_ref(self).addr().is_multiple_of(4096));
        each(WIDE, self.0 as u32);
    }
}

impl Shape for () {
    fn make(_: u32, _: &Ledger) -> Self {}
    fn read(&self, _: &mut dyn FnMut(usize, u32)) {}
}

macro_rules! tuples {
    ($(($($name:ident)*))*) => {$(
        #[allow(non_snake_case, reason = "the type's own name stands for its value")]
        impl<$($name: Shape),*> Shape for ($($name,)*) {
            fn make(value: u32, ledger: &Ledger) -> Self {
                ($($name::make(value, ledger),)*)
            }

            fn read(&self, each: &mut dyn FnMut(usize, u32)) {
                let ($($name,)*) = self;
                $($name.read(each);)*
            }
        }
    )*};
}

tuples!((A)(A B)(A B C)(A B C D E));

/// Number of bundle shapes; the last has the page-aligned component.
pub(crate) const SHAPES: usize = 10;

/// Runs code with the type of a shape.
macro_rules! with_shape {
    ($shape:expr, $type:ident => $code:expr) => {{
        use crate::model::shapes::Spirit;
        use crate::support::{Named, Num, Parts, Pos, Wide};
        match $shape {
            0 => {
                type $type = ((),);
                $code
            }
            1 => {
                type $type = Num;
                $code
            }
            2 => {
                type $type = (Pos, Num);
                $code
            }
            3 => {
                type $type = (Named, Spirit);
                $code
            }
            4 => {
                type $type = (Parts, Named, Pos);
                $code
            }
            5 => {
                type $type = (Num, Pos, Named, Spirit, Parts);
                $code
            }
            6 => {
                type $type = Spirit;
                $code
            }
            7 => {
                type $type = Parts;
                $code
            }
            8 => {
                type $type = Named;
                $code
            }
            _ => {
                type $type = (Wide, Num);
                $code
            }
        }
    }};
}
pub(crate) use with_shape;

/// Number of filters.
pub(crate) const FILTERS: usize = 4;

/// Runs code with the type of a filter.
macro_rules! with_filter {
    ($filter:expr, $type:ident => $code:expr) => {{
        use orrery_ecs::{With, Without};
        match $filter {
            0 => {
                type $type = With<Num>;
                $code
            }
            1 => {
                type $type = (With<Named>, With<Parts>);
                $code
            }
            2 => {
                type $type = Without<Num>;
                $code
            }
            _ => {
                type $type = (With<Pos>, Without<Named>);
                $code
            }
        }
    }};
}
pub(crate) use with_filter;

/// Whether an archetype with these kinds passes a filter.
pub(crate) fn passes(filter: usize, kinds: u8) -> bool {
    let has = |kind: usize| kinds >> kind & 1 == 1;
    match filter {
        0 => has(NUM),
        1 => has(NAMED) && has(PARTS),
        2 => !has(NUM),
        _ => has(POS) && !has(NAMED),
    }
}

/// Kinds in a shape, as bits.
pub(crate) fn kinds(shape: usize) -> u8 {
    [
        0,
        1 << NUM,
        1 << POS | 1 << NUM,
        1 << NAMED | 1 << GHOST,
        1 << PARTS | 1 << NAMED | 1 << POS,
        1 << NUM | 1 << POS | 1 << NAMED | 1 << GHOST | 1 << PARTS,
        1 << GHOST,
        1 << PARTS,
        1 << NAMED,
        1 << WIDE | 1 << NUM,
    ][shape]
}
