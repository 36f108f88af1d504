package import JSON

/// What a view is told, in order.
package enum ViewNews: Sendable, Equatable {
    case event(JSONText, seq: Int)
    /// Begin anew with these: they bring a View that knows nothing up to `seq`, and `shown` is all that stands on it.
    case snapshot([JSONText], seq: Int, shown: RemoteNavigation)
    case navigation(RemoteNavigation, seq: Int)
    /// The last. Not told to who closed or detached the view itself.
    case ended(RemoteError)
}
