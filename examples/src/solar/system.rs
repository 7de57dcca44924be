//! The ten bodies: names, masses, states at the start and the two answers at day 360.
//!
//! Barycentric frame with ICRF axes; positions in AU, velocities in AU per day, GM in AU^3 per
//! day^2. The files are compiled in; their README names the sources.

use super::SolarError;

/// Bodies of the model: the Sun, eight planets and Pluto.
pub const BODY_COUNT: usize = 10;

/// Names of the bodies in the order of all slices; `earthmoon` is the barycentre of the two.
pub const BODIES: [&str; BODY_COUNT] = [
    "sun",
    "mercury",
    "venus",
    "earthmoon",
    "mars",
    "jupiter",
    "saturn",
    "uranus",
    "neptune",
    "pluto",
];

/// Length of the astronomical unit in DE421, in km.
pub const AU_KM: f64 = 149_597_870.699_626_2;

/// Span from the start (JD 2451545.0) to the answers (JD 2451905.0), in days.
pub const SPAN_DAYS: f64 = 360.0;

/// Places and velocities of all bodies.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// In AU.
    pub positions: Vec<[f64; 3]>,
    /// In AU per day.
    pub velocities: Vec<[f64; 3]>,
}

/// A file of the folder `data/solar`.
struct File {
    name: &'static str,
    header: &'static str,
    text: &'static str,
}

const HEADER: &str = "body,x,y,z,vx,vy,vz";

const START: File = File {
    name: "solar/start.csv",
    header: HEADER,
    text: include_str!("../../data/solar/start.csv"),
};
const NEWTONIAN: File = File {
    name: "solar/newtonian_360d.csv",
    header: HEADER,
    text: include_str!("../../data/solar/newtonian_360d.csv"),
};
const DE421: File = File {
    name: "solar/de421_360d.csv",
    header: HEADER,
    text: include_str!("../../data/solar/de421_360d.csv"),
};
const GM: File = File {
    name: "solar/gm.csv",
    header: "body,gm_au3_per_day2",
    text: include_str!("../../data/solar/gm.csv"),
};

/// Returns the state at JD 2451545.0.
///
/// # Errors
/// [`SolarError::Data`] if the file is damaged.
pub fn start() -> Result<State, SolarError> {
    state(&START)
}

/// Returns the state at JD 2451905.0 of Newtonian point masses.
///
/// # Errors
/// [`SolarError::Data`] if the file is damaged.
pub fn newtonian_answer() -> Result<State, SolarError> {
    state(&NEWTONIAN)
}

/// Returns the state at JD 2451905.0 in JPL's ephemeris DE421.
///
/// # Errors
/// [`SolarError::Data`] if the file is damaged.
pub fn de421_answer() -> Result<State, SolarError> {
    state(&DE421)
}

/// Returns GM of each body, in AU^3 per day^2.
///
/// # Errors
/// [`SolarError::Data`] if the file is damaged.
pub fn gravity_parameters() -> Result<Vec<f64>, SolarError> {
    Ok(parse::<1>(&GM)?.into_iter().map(|[gm]| gm).collect())
}

/// Reads positions and velocities.
fn state(file: &File) -> Result<State, SolarError> {
    let (positions, velocities) = parse::<6>(file)?
        .into_iter()
        .map(|[x, y, z, vx, vy, vz]| ([x, y, z], [vx, vy, vz]))
        .unzip();
    Ok(State {
        positions,
        velocities,
    })
}

/// Reads `N` numbers for each body.
fn parse<const N: usize>(file: &File) -> Result<Vec<[f64; N]>, SolarError> {
    let error = |line, problem| SolarError::Data {
        file: file.name,
        line,
        problem,
    };
    let mut lines = file.text.lines();
    if lines.next() != Some(file.header) {
        return Err(error(1, "the header is not the expected one"));
    }
    let mut rows = Vec::with_capacity(BODY_COUNT);
    for (index, body) in BODIES.into_iter().enumerate() {
        let line = index + 2;
        let text = lines
            .next()
            .ok_or_else(|| error(line, "a body is missing"))?;
        let mut fields = text.split(',');
        if fields.next() != Some(body) {
            return Err(error(line, "the body is not the expected one"));
        }
        let mut row = [0.0_f64; N];
        for value in &mut row {
            let field = fields.next().ok_or_else(|| error(line, "too few fields"))?;
            *value = field
                .parse()
                .map_err(|_| error(line, "a field is not a number"))?;
            if !value.is_finite() {
                return Err(error(line, "a number is not finite"));
            }
        }
        if fields.next().is_some() {
            return Err(error(line, "too many fields"));
        }
        rows.push(row);
    }
    if lines.next().is_some() {
        return Err(error(BODY_COUNT + 2, "too many lines"));
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_are_sound_and_the_start_is_at_rest_as_a_whole() {
        let (start, gm) = (
            start().expect("committed"),
            gravity_parameters().expect("committed"),
        );
        newtonian_answer().expect("committed");
        de421_answer().expect("committed");
        for axis in 0..3 {
            let drift: f64 = gm
                .iter()
                .zip(&start.velocities)
                .map(|(gm, v)| gm * v[axis])
                .sum();
            // DE421's barycentre also counts relativity and asteroids.
            assert!((drift / gm[0]).abs() < 1e-9, "{drift}");
        }
    }

    #[test]
    fn damaged_files_are_named_with_line_and_problem() {
        let good = GM.text;
        let cut: String = good
            .lines()
            .take(10)
            .map(|line| format!("{line}\n"))
            .collect();
        for (text, line, problem) in [
            ("", 1, "the header is not the expected one"),
            (
                &*good.replace("gm_au3", "gm_km3"),
                1,
                "the header is not the expected one",
            ),
            (&*cut, 11, "a body is missing"),
            (
                &*good.replace("venus,", "vulcan,"),
                4,
                "the body is not the expected one",
            ),
            (&*good.replace("venus,", "venus,1,"), 4, "too many fields"),
            (
                &*good.replace("venus,", "venus,x"),
                4,
                "a field is not a number",
            ),
            (&*good.replace("e-12", "e999"), 11, "a number is not finite"),
            (
                &*good.replace("pluto,2.17844105199052003e-12", "pluto"),
                11,
                "too few fields",
            ),
            (&*format!("{good}vulcan,1\n"), 12, "too many lines"),
        ] {
            let text = String::leak(text.to_owned());
            let file = File {
                name: "test.csv",
                header: GM.header,
                text,
            };
            let expected = Err(SolarError::Data {
                file: "test.csv",
                line,
                problem,
            });
            assert_eq!(parse::<1>(&file), expected, "{text}");
        }
    }
}
