//! A field of dots that is drawn in terminal cells.
//!
//! With colours a cell is a half block: two pixels, one above the other, brighter the more fell
//! into them. Without, it is a braille cell of 2 x 4 dots, set by ordered dithering, so that
//! density shows without any colour.

use std::fmt::Write;

/// Counts how much falls into each pixel of a picture.
pub struct Canvas {
    columns: usize,
    rows: usize,
    color: bool,
    counts: Vec<u32>,
}

/// Colours of increasing density in the 256-colour palette: black over blue and cyan to white.
const RAMP: [u8; 10] = [16, 17, 18, 25, 31, 37, 43, 85, 158, 231];

/// Thresholds of a 2 x 4 cell, spread so that neighbours differ, in eighths.
const DITHER: [[u32; 2]; 4] = [[0, 4], [6, 2], [1, 5], [7, 3]];

/// Bit of each dot of a braille cell: U+2800 numbers them down the left column first.
const BRAILLE: [[u32; 2]; 4] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]];

impl Canvas {
    /// An empty picture of so many terminal cells.
    pub fn new(columns: usize, rows: usize, color: bool) -> Self {
        let mut canvas = Self {
            columns,
            rows,
            color,
            counts: Vec::new(),
        };
        canvas.counts = vec![0; canvas.width() * canvas.height()];
        canvas
    }

    /// Pixels from left to right.
    pub fn width(&self) -> usize {
        if self.color {
            self.columns
        } else {
            2 * self.columns
        }
    }

    /// Pixels from top to bottom.
    pub fn height(&self) -> usize {
        if self.color {
            2 * self.rows
        } else {
            4 * self.rows
        }
    }

    /// Takes everything out again.
    pub fn clear(&mut self) {
        self.counts.fill(0);
    }

    /// Adds something at a place: `(0, 0)` is the upper left corner, `(1, 1)` the lower right.
    /// What lies outside, or nowhere, is not seen.
    #[inline]
    pub fn add(&mut self, x: f32, y: f32) {
        let inside = (0.0..1.0).contains(&x) && (0.0..1.0).contains(&y);
        if inside {
            let (width, height) = (self.width(), self.height());
            let column = (x * width as f32) as usize;
            let row = (y * height as f32) as usize;
            // A product just below the edge may round up to it.
            self.counts[row.min(height - 1) * width + column.min(width - 1)] += 1;
        }
    }

    /// Appends the picture to a text, one line for each row of cells.
    pub fn render(&self, text: &mut String) {
        // A few crowded pixels must not turn all others black.
        let total: u64 = self.counts.iter().map(|&count| u64::from(count)).sum();
        let filled = self
            .counts
            .iter()
            .filter(|&&count| count > 0)
            .count()
            .max(1);
        let bright = (2 * total / filled as u64).max(1) as u32;
        for row in 0..self.rows {
            if self.color {
                self.half_blocks(row, bright, text);
            } else {
                self.braille(row, bright, text);
            }
            text.push('\n');
        }
    }

    fn half_blocks(&self, row: usize, bright: u32, text: &mut String) {
        let top = RAMP.len() as u32 - 1;
        let color = |count: u32| match count {
            0 => RAMP[0],
            count => RAMP[(1 + count.min(bright) * (top - 1) / bright).min(top) as usize],
        };
        let width = self.width();
        let mut last = None;
        for column in 0..width {
            let above = color(self.counts[2 * row * width + column]);
            let below = color(self.counts[(2 * row + 1) * width + column]);
            if last != Some((above, below)) {
                // Writing to a String does not fail.
                let _ = write!(text, "\x1b[38;5;{above};48;5;{below}m");
                last = Some((above, below));
            }
            text.push('\u{2580}');
        }
        text.push_str("\x1b[0m");
    }

    fn braille(&self, row: usize, bright: u32, text: &mut String) {
        let width = self.width();
        for column in 0..self.columns {
            let mut bits = 0x2800;
            for (y, thresholds) in DITHER.iter().enumerate() {
                for (x, threshold) in thresholds.iter().enumerate() {
                    let count = self.counts[(4 * row + y) * width + 2 * column + x];
                    if 8 * count.min(bright) > threshold * bright {
                        bits |= BRAILLE[y][x];
                    }
                }
            }
            text.push(char::from_u32(bits).unwrap_or(' '));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corners_fall_into_corner_cells_and_outside_is_not_seen() {
        let mut canvas = Canvas::new(3, 2, false);
        canvas.add(0.0, 0.0);
        canvas.add(0.999_999_94, 0.999_999_94);
        for (x, y) in [
            (1.0, 0.5),
            (-0.1, 0.5),
            (f32::NAN, 0.5),
            (0.5, f32::INFINITY),
        ] {
            canvas.add(x, y);
        }
        let mut text = String::new();
        canvas.render(&mut text);
        assert_eq!(text, "\u{2801}\u{2800}\u{2800}\n\u{2800}\u{2800}\u{2880}\n");
    }

    #[test]
    fn denser_places_get_more_dots_and_brighter_colours() {
        let mut plain = Canvas::new(2, 1, false);
        let mut colored = Canvas::new(2, 1, true);
        for canvas in [&mut plain, &mut colored] {
            for i in 0..800_u32 {
                let (left, y) = (i % 8 != 0, (i / 8 % 4) as f32 / 4.0 + 0.1);
                let x = (i % 2) as f32 / 4.0 + 0.1;
                canvas.add(if left { x } else { x + 0.5 }, y);
            }
        }
        let mut text = String::new();
        plain.render(&mut text);
        let dots = |c: char| (u32::from(c) - 0x2800).count_ones();
        let mut cells = text.chars();
        let (left, right) = (cells.next().map(dots), cells.next().map(dots));
        assert!(left > right && right > Some(0), "{left:?} {right:?}");
        let mut text = String::new();
        colored.render(&mut text);
        assert!(text.matches('\u{2580}').count() == 2 && text.contains("38;5;"));
    }
}
