/// Chooses how much $/logTrace reports from now on.
package enum SetTrace: ClientMethod {
    package static let name: StaticString = "$/setTrace"
    package static let viewEffect = ViewEffect.ofConnection
    package typealias Result = Never

    package struct Params: Codable, Sendable {
        /// off, messages or verbose. Any other value counts as off, and "compact" as messages.
        package var value: String

        package init(_ value: TraceLevel) { self.value = value.rawValue }
    }

    package static let examples = [MessageExample("everything", #"{"value":"verbose"}"#)]
}
