/// The events that bring a view without any up to date, as a view model says itself.
package enum ModelSnapshot: Sendable {
    /// The JSON text of each.
    case events([[UInt8]])
    /// It makes none; `reason` where it should have.
    case none(reason: String?)
}
