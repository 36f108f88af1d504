/// A view model's event that makes an earlier one with the same key needless, such as the newest of many positions.
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
/// A View that keeps up gets all events. A View may get only the newest event of each key when it reads slowly, comes
/// back or comes late, and when one handler sent more than a session keeps.
public protocol ReplaceableEvent: Sendable {
    /// The key: a later event replaces an earlier one with an equal key. Nil for an event that every View must see.
    ///
    /// Called once for each event, on the thread that sends it.
    var coalescingKey: String? { get }
}
