//! Matrices of three and four columns.
//!
//! Stored column after column (`m.y_axis.x` is row 0, column 1) and multiplied with column vectors
//! on the right: `(a * b) * v == a * (b * v)`. A column is where the matrix sends that unit
//! vector, hence the names `x_axis`, `y_axis`, `z_axis`, `w_axis`.

mod macros;
mod mat3;
mod mat4;
mod view;

#[cfg(test)]
mod tests;

pub use mat3::Mat3;
pub use mat4::Mat4;
