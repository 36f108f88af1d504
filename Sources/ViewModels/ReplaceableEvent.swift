/// An event that makes an earlier event of the same key needless, such as the newest of many positions.
///
/// ```swift
/// enum ViewModelEvent: Codable, ReplaceableEvent {
///     case moved(x: Int, y: Int)
///     case message(String)
///
///     var coalescingKey: String? {
///         switch self {
///         case .moved: "moved"
///         case .message: nil
///         }
///     }
/// }
/// ```
///
/// A View that keeps up gets all events. A View gets only the newest of each key when it reads slowly, comes back,
/// comes late, or when one handler sent more than a session keeps.
public protocol ReplaceableEvent: Sendable {
    /// Events with equal keys replace each other; nil for an event that every View must see.
    ///
    /// Called once for each event, on the thread that sends it.
    var coalescingKey: String? { get }
}
