//! The bundles that entities are made of. An operation names one by its number.

use super::components::{
    KINDS, NAMED, NUM, Named, Num, POS, Pos, RARE, Rare, Row, SPIRIT, Spirit, WIDE, Wide,
};

/// A bundle that is made from one number, and read back.
pub(crate) trait Shape {
    fn make(value: u32) -> Self;
    /// Puts each component into its place of a row.
    fn read(&self, row: &mut Row);
}

/// A component that is made from one number.
pub(crate) trait Kind {
    const NUMBER: usize;
    fn make(value: u32) -> Self;
    fn value(&self) -> u32;
}

impl Kind for Num {
    const NUMBER: usize = NUM;

    fn make(value: u32) -> Self {
        Self(value)
    }

    fn value(&self) -> u32 {
        self.0
    }
}

impl Kind for Pos {
    const NUMBER: usize = POS;

    fn make(value: u32) -> Self {
        let x = value as f32;
        Self {
            x,
            y: -x,
            z: x * 0.5,
        }
    }

    fn value(&self) -> u32 {
        let whole = (self.y, self.z) == (-self.x, self.x * 0.5);
        if whole { self.x as u32 } else { u32::MAX }
    }
}

impl Kind for Named {
    const NUMBER: usize = NAMED;

    fn make(value: u32) -> Self {
        Self::new(value)
    }

    fn value(&self) -> u32 {
        Self::value(self)
    }
}

impl Kind for Spirit {
    const NUMBER: usize = SPIRIT;

    fn make(_: u32) -> Self {
        Self::new()
    }

    fn value(&self) -> u32 {
        0
    }
}

impl Kind for Rare {
    const NUMBER: usize = RARE;

    fn make(value: u32) -> Self {
        Self(Named::new(value))
    }

    fn value(&self) -> u32 {
        self.0.value()
    }
}

impl Kind for Wide {
    const NUMBER: usize = WIDE;

    fn make(value: u32) -> Self {
        Self([value; 24])
    }

    fn value(&self) -> u32 {
        let whole = self.0 == [self.0[0]; 24]
            && std::ptr::from_ref(self)
                .addr()
                .is_multiple_of(align_of::<Self>());
        if whole { self.0[0] } else { u32::MAX }
    }
}

macro_rules! tuples {
    ($(($($name:ident)*))*) => {$(
        #[allow(non_snake_case, reason = "the type's own name stands for its value")]
        impl<$($name: Kind),*> Shape for ($($name,)*) {
            fn make(value: u32) -> Self {
                ($($name::make(value),)*)
            }

            fn read(&self, row: &mut Row) {
                let ($($name,)*) = self;
                $(row[$name::NUMBER] = Some($name.value());)*
            }
        }
    )*};
}

tuples!((A)(A B)(A B C)(A B C D E F));

/// Number of shapes.
pub(crate) const SHAPES: usize = 10;

/// Components of each shape, as bits.
pub(crate) const MASKS: [u8; SHAPES] = [
    1 << NUM,
    1 << POS | 1 << NUM,
    1 << NAMED | 1 << SPIRIT,
    1 << NAMED,
    1 << SPIRIT,
    1 << WIDE | 1 << NUM,
    1 << POS | 1 << NAMED | 1 << WIDE,
    1 << RARE,
    1 << RARE | 1 << NUM,
    (1 << KINDS) - 1,
];

/// Runs code with the type of a shape.
macro_rules! with_shape {
    ($shape:expr, $type:ident => $code:expr) => {{
        use crate::model::components::{Named, Num, Pos, Rare, Spirit, Wide};
        match $shape {
            0 => {
                type $type = (Num,);
                $code
            }
            1 => {
                type $type = (Pos, Num);
                $code
            }
            2 => {
                type $type = (Named, Spirit);
                $code
            }
            3 => {
                type $type = (Named,);
                $code
            }
            4 => {
                type $type = (Spirit,);
                $code
            }
            5 => {
                type $type = (Wide, Num);
                $code
            }
            6 => {
                type $type = (Pos, Named, Wide);
                $code
            }
            7 => {
                type $type = (Rare,);
                $code
            }
            8 => {
                type $type = (Num, Rare);
                $code
            }
            9 => {
                type $type = (Num, Pos, Named, Spirit, Wide, Rare);
                $code
            }
            other => unreachable!(
                "there are {} shapes, not {other}",
                crate::model::shapes::SHAPES
            ),
        }
    }};
}
pub(crate) use with_shape;

/// Runs code with the type of each component in turn.
macro_rules! for_each_kind {
    ($type:ident => $code:expr) => {{
        use crate::model::components::{Named, Num, Pos, Rare, Spirit, Wide};
        {
            type $type = Num;
            $code
        }
        {
            type $type = Pos;
            $code
        }
        {
            type $type = Named;
            $code
        }
        {
            type $type = Spirit;
            $code
        }
        {
            type $type = Wide;
            $code
        }
        {
            type $type = Rare;
            $code
        }
    }};
}
pub(crate) use for_each_kind;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_masks_say_what_the_shapes_hold() {
        for (shape, &mask) in MASKS.iter().enumerate() {
            let mut row = Row::default();
            with_shape!(shape, B => B::make(7).read(&mut row));
            let found = (0..KINDS).filter(|&kind| row[kind].is_some());
            assert_eq!(
                found.fold(0, |bits, kind| bits | 1 << kind),
                mask,
                "{shape}"
            );
        }
    }
}
