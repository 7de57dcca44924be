//! A schedule as a picture: stages from left to right, what may run at the same time one below
//! the other.

use std::fmt::Write;

use orrery_ecs::World;

use super::draw::{Drawn, time};
use super::{Schedule, ScheduleError};

const CHAR: usize = 8;
const LINE: usize = 18;
const PAD: usize = 8;
const GAP: usize = 40;
const TOP: usize = 56;

/// A box and where it stands.
struct Placed<'a> {
    unit: &'a Drawn,
    x: usize,
    y: usize,
    width: usize,
    height: usize,
}

impl Schedule {
    /// The schedule as an SVG picture: what [`to_text`](Self::to_text) says. The longest way is
    /// drawn in red.
    ///
    /// # Errors
    /// As [`initialize`](Self::initialize).
    pub fn to_svg(&mut self, world: &mut World) -> Result<String, ScheduleError> {
        let stages = self.boxes(world)?;
        let mut body = String::new();
        let (mut left, mut bottom) = (GAP / 2, TOP);
        for (number, stage) in stages.iter().enumerate() {
            let placed = place(stage, left);
            let ends = placed
                .iter()
                .map(|one| (one.x + one.width, one.y + one.height));
            let right = ends.clone().map(|(x, _)| x).max().unwrap_or(left);
            bottom = ends.map(|(_, y)| y).fold(bottom, usize::max);
            let _ = writeln!(
                body,
                r#"<text x="{left}" y="{}" class="head">stage {}</text>"#,
                TOP - 12,
                number + 1
            );
            draw_stage(&mut body, &placed);
            left = right + GAP;
        }
        let (width, height) = (left, bottom + PAD);
        let name = escaped(self.name);
        Ok(format!(
            r##"<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}"
 viewBox="0 0 {width} {height}" font-family="monospace" font-size="13">
<style>rect {{ fill: #f4f6fa; stroke: #556; }} .critical {{ stroke: #c22; stroke-width: 2; }}
line {{ stroke: #99a; }} .head {{ font-weight: bold; }}</style>
<rect x="0" y="0" width="{width}" height="{height}" style="fill: white; stroke: none"/>
<text x="{}" y="22" class="head">{name}</text>
{body}</svg>
"##,
            GAP / 2
        ))
    }
}

/// Puts boxes into columns by depth.
fn place(stage: &[Drawn], left: usize) -> Vec<Placed<'_>> {
    let mut placed = Vec::new();
    let depths = stage.iter().map(|unit| unit.depth + 1).max().unwrap_or(0);
    let mut x = left;
    for depth in 0..depths {
        let mut y = TOP;
        let column = stage.iter().filter(|unit| unit.depth == depth);
        let width = column.clone().map(width_of).max().unwrap_or(0);
        for unit in column {
            let height = lines(unit).len() * LINE + PAD;
            placed.push(Placed {
                unit,
                x,
                y,
                width,
                height,
            });
            y += height + PAD;
        }
        x += width + GAP;
    }
    // As in the stage, so that numbers of boxes are places here.
    let number = |one: &Placed<'_>| stage.iter().position(|unit| std::ptr::eq(unit, one.unit));
    placed.sort_by_key(number);
    placed
}

fn lines(unit: &Drawn) -> Vec<String> {
    let cost = unit.cost_ns.map(time);
    unit.names.iter().cloned().chain(cost).collect()
}

fn width_of(unit: &Drawn) -> usize {
    let longest = lines(unit).iter().map(|line| line.chars().count()).max();
    longest.unwrap_or(0) * CHAR + 2 * PAD
}

fn draw_stage(body: &mut String, placed: &[Placed<'_>]) {
    for from in placed {
        for &next in &from.unit.next {
            let to = &placed[next];
            let class = match from.unit.is_critical && to.unit.is_critical {
                true => r#" class="critical""#,
                false => "",
            };
            let _ = writeln!(
                body,
                r#"<line x1="{}" y1="{}" x2="{}" y2="{}"{class}/>"#,
                from.x + from.width,
                from.y + from.height / 2,
                to.x,
                to.y + to.height / 2
            );
        }
    }
    for one in placed {
        let class = match one.unit.is_critical {
            true => r#" class="critical""#,
            false => "",
        };
        let _ = writeln!(
            body,
            r#"<rect x="{}" y="{}" width="{}" height="{}" rx="4"{class}/>"#,
            one.x, one.y, one.width, one.height
        );
        for (number, line) in lines(one.unit).iter().enumerate() {
            let _ = writeln!(
                body,
                r#"<text x="{}" y="{}">{}</text>"#,
                one.x + PAD,
                one.y + (number + 1) * LINE - 2,
                escaped(line)
            );
        }
    }
}

fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    text.replace('>', "&gt;")
}
