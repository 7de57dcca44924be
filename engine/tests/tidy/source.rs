//! Just enough of Rust's grammar: code without comments and literals, and where functions end.

/// Returns `source` with the contents of comments, strings and characters replaced by blanks.
/// Every line keeps its number, and every character that is code its column.
pub(crate) fn code_only(source: &str) -> String {
    let chars: Vec<char> = source.chars().collect();
    let mut code = String::with_capacity(source.len());
    let mut at = 0;
    while at < chars.len() {
        let end = literal_or_comment_end(&chars, at);
        if end > at {
            code.extend(
                chars[at..end]
                    .iter()
                    .map(|&c| if c == '\n' { '\n' } else { ' ' }),
            );
            at = end;
        } else {
            // A whole word at once, so that the r of `for"` does not open a raw string.
            let mut end = at + 1;
            while is_word(chars[at]) && end < chars.len() && is_word(chars[end]) {
                end += 1;
            }
            code.extend(&chars[at..end]);
            at = end;
        }
    }
    code
}

/// Returns the end of the literal or comment that begins at `at`, or `at` if none does.
fn literal_or_comment_end(chars: &[char], at: usize) -> usize {
    let next = |offset: usize| chars.get(at + offset).copied().unwrap_or('\0');
    match (chars[at], next(1)) {
        ('/', '/') => find(chars, at, |c| c == '\n'),
        ('/', '*') => block_comment_end(chars, at),
        ('"', _) => quoted_end(chars, at + 1, '"'),
        ('b' | 'c', '"') => quoted_end(chars, at + 2, '"'),
        ('b', '\'') => quoted_end(chars, at + 2, '\''),
        ('r', '"' | '#') => raw_end(chars, at, at + 1),
        ('b' | 'c', 'r') if matches!(next(2), '"' | '#') => raw_end(chars, at, at + 2),
        // A character, unless it is a lifetime: 'a without a closing quote right behind.
        ('\'', '\\') => quoted_end(chars, at + 1, '\''),
        ('\'', c) if c != '\'' && next(2) == '\'' => at + 3,
        _ => at,
    }
}

fn find(chars: &[char], from: usize, wanted: impl Fn(char) -> bool) -> usize {
    chars[from..]
        .iter()
        .position(|&c| wanted(c))
        .map_or(chars.len(), |offset| from + offset)
}

/// Block comments nest.
fn block_comment_end(chars: &[char], at: usize) -> usize {
    let (mut depth, mut end) = (0, at);
    while end < chars.len() {
        match (chars[end], chars.get(end + 1)) {
            ('/', Some('*')) => (depth, end) = (depth + 1, end + 2),
            ('*', Some('/')) => (depth, end) = (depth - 1, end + 2),
            _ => end += 1,
        }
        if depth == 0 {
            return end;
        }
    }
    end
}

/// Returns the place behind the closing `quote`, from inside the literal.
fn quoted_end(chars: &[char], from: usize, quote: char) -> usize {
    let mut end = from;
    while end < chars.len() {
        match chars[end] {
            '\\' => end += 2,
            c if c == quote => return end + 1,
            _ => end += 1,
        }
    }
    chars.len()
}

/// Returns the end of the raw string whose hashes begin at `hashes`, or `at` if it is none
/// (`r#type` is a name).
fn raw_end(chars: &[char], at: usize, hashes: usize) -> usize {
    let open = find(chars, hashes, |c| c != '#');
    if chars.get(open) != Some(&'"') {
        return at;
    }
    let count = open - hashes;
    let mut end = open + 1;
    while end < chars.len() {
        let close = chars[end] == '"' && chars[end + 1..].iter().take(count).all(|&c| c == '#');
        if close && end + count < chars.len() {
            return end + 1 + count;
        }
        end += 1;
    }
    chars.len()
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Returns where `word` stands in `text`, not as a part of a longer word.
pub(crate) fn words<'a>(text: &'a str, word: &'a str) -> impl Iterator<Item = usize> + 'a {
    text.match_indices(word)
        .map(|(at, _)| at)
        .filter(move |&at| {
            let before = text[..at].chars().next_back();
            let after = text[at + word.len()..].chars().next();
            !before.is_some_and(is_word) && !after.is_some_and(is_word)
        })
}

/// Returns the line of a byte, from 1.
pub(crate) fn line_of(text: &str, at: usize) -> usize {
    1 + text[..at].matches('\n').count()
}

/// Returns the part of `text` inside the bracket pair that opens at byte `open`.
pub(crate) fn inside(text: &str, open: usize) -> &str {
    let mut depth = 0;
    for (offset, c) in text[open..].char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return &text[open + 1..(open + offset).max(open + 1)];
        }
    }
    &text[open + 1..]
}

/// A function with a body.
pub(crate) struct Function {
    pub(crate) name: String,
    /// The line of `fn`, from 1.
    pub(crate) line: usize,
    /// From the line of `fn` to that of the closing brace.
    pub(crate) line_count: usize,
}

/// Returns the functions of code without comments and literals; inner ones too.
pub(crate) fn functions(code: &str) -> Vec<Function> {
    let mut functions = Vec::new();
    for at in words(code, "fn") {
        let rest = code[at + 2..].trim_start();
        let name: String = rest
            .chars()
            .take_while(|&c| is_word(c) || c == '$')
            .collect();
        // `fn(usize)` is a type.
        if name.is_empty() {
            continue;
        }
        let Some(open) = body_start(code, at) else {
            continue;
        };
        let line = line_of(code, at);
        let end = open + 1 + inside(code, open).len();
        functions.push(Function {
            name,
            line,
            line_count: line_of(code, end) + 1 - line,
        });
    }
    functions
}

/// Returns the opening brace of the body of the `fn` at `at`, `None` for a mere signature.
fn body_start(code: &str, at: usize) -> Option<usize> {
    let mut depth = 0;
    for (offset, c) in code[at..].char_indices() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            '{' if depth == 0 => return Some(at + offset),
            ';' if depth == 0 => return None,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    //! The corners of the grammar that would hide code or show text.

    use super::{code_only, functions, inside, words};

    #[test]
    fn comments_and_literals_are_blanked_and_code_is_kept() {
        for (source, code) in [
            ("a // b\nc", "a     \nc"),
            ("a /* b /* c */ d */ e", "a                   e"),
            (r#"f("a\"b", x)"#, "f(      , x)"),
            (r##"r#"a"b"# + y"##, "         + y"),
            (r##"br#"a"#;b"x";c"y""##, "       ;    ;    "),
            (r"'a' + '\'' + b'\\' + z", "    +      +       + z"),
            ("<'a>(x: &'a str)", "<'a>(x: &'a str)"),
            ("r#type + for_r", "r#type + for_r"),
            ("'l: loop {}", "'l: loop {}"),
            ("\"open", "     "),
        ] {
            assert_eq!(code_only(source), code, "{source}");
        }
    }

    #[test]
    fn words_are_whole() {
        assert_eq!(words("fn fnord _fn fn", "fn").collect::<Vec<_>>(), [0, 13]);
    }

    #[test]
    fn brackets_are_matched() {
        assert_eq!(inside("f(a(b)[c])d", 1), "a(b)[c]");
        assert_eq!(inside("f()", 1), "");
        assert_eq!(inside("f(a", 1), "a");
    }

    #[test]
    fn functions_are_measured_to_their_closing_brace() {
        let code = "fn a(x: fn(u8) -> [u8; 2]) -> u8 {\n  if x { 1 }\n}\n\
                    trait T { fn b(&self); fn c() {} }";
        let found = functions(code);
        let brief: Vec<_> = found
            .iter()
            .map(|f| (f.name.as_str(), f.line, f.line_count))
            .collect();
        assert_eq!(brief, [("a", 1, 3), ("c", 4, 1)]);
    }
}
