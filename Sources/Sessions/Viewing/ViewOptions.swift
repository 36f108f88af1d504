/// What a view is, beside its place in the session's events.
package struct ViewOptions: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// It was attached with a key that only lets it look.
    package static let looksOnly = ViewOptions(rawValue: 1)
    /// It is told which views the session has.
    package static let isToldOfViews = ViewOptions(rawValue: 2)
    /// It is another view model's, and nobody looks at it.
    package static let isOfViewModel = ViewOptions(rawValue: 4)
}
