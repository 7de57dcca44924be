//! Components that are defined while the program runs: by scripts, mods, tools.

use std::alloc::Layout;
use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use super::info::{CloneBehavior, ComponentInfo, HashBehavior, Placement};
use crate::hash::{Lane, StateHasher};

/// What a world has to know of a component that is no Rust type of this program.
///
/// [`plain`](ComponentDescriptor::plain) makes one of bytes, which is all that scripts and tools
/// need and asks for no `unsafe`. [`new`](ComponentDescriptor::new) makes one of values that are
/// dropped, cloned and hashed by functions of one's own.
///
/// ```
/// use orrery_ecs::{ComponentDescriptor, World};
/// let mut world = World::new();
/// let heat = world.register_dynamic(ComponentDescriptor::plain("mod::Heat", 4, 4))?;
/// let entity = world.spawn(()).id();
/// world.insert_bytes(entity, heat, &21.5_f32.to_le_bytes())?;
/// assert_eq!(world.get_bytes(entity, heat), Some(&21.5_f32.to_le_bytes()[..]));
/// # Ok::<(), orrery_ecs::DynamicError>(())
/// ```
#[derive(Clone, Debug)]
pub struct ComponentDescriptor {
    name: String,
    layout: Layout,
    drop: Option<unsafe fn(*mut u8, usize)>,
    clone: CloneBehavior,
    hash: HashBehavior,
    plain: bool,
    sparse: bool,
}

impl ComponentDescriptor {
    /// A component of `size` bytes, all of which mean something: they are copied by a fork, and
    /// enter the state hash as they are.
    ///
    /// # Panics
    /// When `align` is not a power of two, or the size rounded up to it overflows.
    pub fn plain(name: &str, size: usize, align: usize) -> Self {
        let layout = Layout::from_size_align(size, align);
        let layout = layout.unwrap_or_else(|_| {
            panic!("{size} bytes aligned to {align} are no layout: the alignment is a power of two")
        });
        Self {
            name: name.to_owned(),
            layout: layout.pad_to_align(),
            drop: None,
            clone: CloneBehavior::Bytes,
            hash: HashBehavior::Lanes(Lane::Bytes),
            plain: true,
            sparse: false,
        }
    }

    /// A component of values that only the caller knows. Without further calls they are forgotten
    /// instead of dropped, keep their world from being forked, and are not part of the state.
    pub fn new(name: &str, layout: Layout) -> Self {
        Self {
            name: name.to_owned(),
            layout: layout.pad_to_align(),
            drop: None,
            clone: CloneBehavior::Refuse,
            hash: HashBehavior::Skip,
            plain: false,
            sparse: false,
        }
    }

    /// How values are dropped: the function gets the first and how many follow each other.
    ///
    /// # Safety
    /// The function may be called once for any values of the component, on any thread.
    #[must_use]
    pub unsafe fn with_drop(self, drop: unsafe fn(*mut u8, usize)) -> Self {
        Self {
            drop: Some(drop),
            ..self
        }
    }

    /// How values are cloned: from the first address to the second, so many. If it panics it drops
    /// those it has made.
    ///
    /// # Safety
    /// The function makes as many values of the component at an address that holds none, and may
    /// be called on any thread.
    #[must_use]
    pub unsafe fn with_clone(self, clone: unsafe fn(*const u8, *mut u8, usize)) -> Self {
        Self {
            clone: CloneBehavior::Values(clone),
            ..self
        }
    }

    /// How a value enters the state hash.
    ///
    /// # Safety
    /// The function only reads the value of the component that it gets, on any thread.
    #[must_use]
    pub unsafe fn with_hash(self, hash: unsafe fn(*const u8, &mut StateHasher)) -> Self {
        Self {
            hash: HashBehavior::Values(hash),
            ..self
        }
    }

    /// Keeps the values in a set beside the archetypes; see
    /// [`Component`](crate::Component#options).
    #[must_use]
    pub fn sparse(self) -> Self {
        Self {
            sparse: true,
            ..self
        }
    }

    /// Its name, which is the only one of its kind in a world.
    pub fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn into_info(self) -> ComponentInfo {
        let placement = Placement {
            sparse: self.sparse,
            ..Placement::default()
        };
        ComponentInfo {
            drop: self.drop,
            plain: self.plain,
            ..ComponentInfo::of_layout(
                interned(&self.name),
                self.layout,
                self.clone,
                self.hash,
                Vec::new(),
                placement,
            )
        }
    }
}

/// The name for as long as the program runs. Each name is kept once, however many worlds use it.
fn interned(name: &str) -> &'static str {
    static NAMES: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = names.get(name) {
        return known;
    }
    let kept: &'static str = Box::leak(name.into());
    names.insert(kept);
    kept
}
