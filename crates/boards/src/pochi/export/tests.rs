use super::*;
use crate::pochi::gallery;

fn picture(name: &str) -> Picture {
    let example = gallery().iter().find(|example| example.name == name).expect(name);
    Picture::of(&example.field(), &example.ignition(), Rules::default()).expect(name)
}

/// The texts of an SVG, after checking that it is well-formed.
fn texts(svg: &str) -> Vec<String> {
    let document = roxmltree::Document::parse(svg).expect("well-formed XML");
    let texts = document.descendants().filter(|node| node.has_tag_name("text"));
    texts.map(|node| node.text().unwrap_or_default().to_owned()).collect()
}

#[test]
fn both_boards_show_waves_tails_and_values() {
    let svg = svg(&picture("figure 3, right"));
    let texts = texts(&svg);
    for expected in ["MVS 7", "PS2 9", "(2 + 3 + 3) + 1 = 9", "B1", "B2", "B3"] {
        assert!(texts.iter().any(|text| text == expected), "{expected}: {texts:?}");
    }
    assert!(texts.join(" ").contains("a single block counts 0"));
    // Three tails on MVS (3, 4 and the single block), four on PS2.
    assert_eq!(svg.matches("stroke-width=\"3\"/>").count(), 3 + 4 + 2, "rings of tails and two needles");
    assert!(svg.contains("<title>MVS 7, PS2 9</title>"));
    assert!(svg.contains("#0072B2"), "blue as everywhere");
}

#[test]
fn every_example_and_every_size_is_drawn_both_ways() {
    for example in gallery() {
        let picture =
            Picture::of(&example.field(), &example.ignition(), Rules::default()).expect(example.name);
        let bytes = png(&picture).expect("a picture");
        let reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().expect("a PNG");
        let size = (reader.info().width, reader.info().height);
        let drawing = picture.drawing();
        assert_eq!(size, (drawing.width, drawing.height));
        texts(&svg(&picture));
        for shape in &drawing.shapes {
            let (Shape::Fill((x, y), ..)
            | Shape::Disc((x, y), ..)
            | Shape::Ring((x, y), ..)
            | Shape::Diamond((x, y), ..)
            | Shape::Text((x, y), ..)) = shape;
            assert!(*x < drawing.width && *y < drawing.height, "{}: {shape:?}", example.name);
            if let Shape::Text((x, _), text, _) = shape {
                let half = LETTER * u32::try_from(text.len()).expect("short") / 2;
                assert!(half <= *x && x + half <= drawing.width, "{}: {text}", example.name);
            }
        }
    }
    for (width, height) in [(1, 1), (64, 2), (2, 64)] {
        let field = Field::empty(width, height).expect("a field");
        let needle = Ignition::Needle { at: GridCell::new(0, 0), color: None };
        let nothing = Picture::of(&field, &needle, Rules::default()).expect("a picture");
        assert!(texts(&svg(&nothing)).iter().any(|text| text.starts_with("the needle touches")));
        png(&nothing).expect("a picture");
        let alone = Picture::of_field(&field);
        assert!(texts(&svg(&alone)).is_empty());
        png(&alone).expect("a picture");
    }
}

/// In the rendered image, the middle of a block's left half has the block's colour.
#[test]
fn pixels_have_the_colours_of_the_blocks() {
    let field = Field::from_text("RGBY").expect("a field");
    let picture = Picture::of_field(&field);
    let drawing = picture.drawing();
    let bytes = png(&picture).expect("a picture");
    let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().expect("a PNG");
    let mut points = vec![0; reader.output_buffer_size().expect("it fits")];
    reader.next_frame(&mut points).expect("a frame");
    let left = (drawing.width - 4 * CELL) / 2;
    for (nth, color) in (0u32..).zip(Color::ALL) {
        let (x, y) = (left + nth * CELL + CELL / 2 - RADIUS + 4, MARGIN + CELL / 2);
        let at = 3 * (y * drawing.width + x) as usize;
        assert_eq!(points[at..at + 3], body(color), "{color}");
    }
}
