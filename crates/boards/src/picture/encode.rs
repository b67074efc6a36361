//! Encodes canvases as PNG and animated PNG (APNG).

use super::canvas::Canvas;
use png::{BitDepth, ColorType, Compression, Encoder};

/// The PNG encoder failed, for example because of too many frames.
#[derive(Debug, thiserror::Error)]
#[error("the picture could not be written: {0}")]
pub struct PictureError(#[from] png::EncodingError);

/// One image or, with durations, an animation.
pub fn encoded(canvases: &[Canvas], hundredths: &[u16]) -> Result<Vec<u8>, PictureError> {
    let mut bytes = Vec::new();
    let Some(first) = canvases.first() else { return Ok(bytes) };
    let mut encoder = Encoder::new(&mut bytes, first.width(), first.height());
    encoder.set_color(ColorType::Rgb);
    encoder.set_depth(BitDepth::Eight);
    encoder.set_compression(Compression::Balanced);
    if let Some(time) = hundredths.first() {
        encoder.set_animated(u32::try_from(canvases.len()).unwrap_or(u32::MAX), 0)?;
        encoder.set_frame_delay(*time, 100)?;
    }
    let mut writer = encoder.write_header()?;
    for (nth, canvas) in canvases.iter().enumerate() {
        if let Some(time) = hundredths.get(nth) {
            writer.set_frame_delay(*time, 100)?;
        }
        writer.write_image_data(canvas.bytes())?;
    }
    writer.finish()?;
    Ok(bytes)
}

/// A square RGBA image.
pub fn encoded_transparent(side: u32, points: &[u8]) -> Result<Vec<u8>, PictureError> {
    let mut bytes = Vec::new();
    let mut encoder = Encoder::new(&mut bytes, side, side);
    encoder.set_color(ColorType::Rgba);
    encoder.set_depth(BitDepth::Eight);
    encoder.set_compression(Compression::Balanced);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(points)?;
    writer.finish()?;
    Ok(bytes)
}
