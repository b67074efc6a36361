//! The window (placeholder until it is merged).
use tracing_subscriber::Layer;
/// x
#[derive(Default, Clone)]
pub struct LogBuffer;
/// x
pub struct LogLayer;
impl<S: tracing::Subscriber> Layer<S> for LogLayer {}
impl LogBuffer {
    /// x
    pub fn layer(&self) -> LogLayer {
        LogLayer
    }
}
