/// What a `NotifyingViewModel` is hosted with: its state, newest only.
///
/// It encodes as the compiler would encode `enum { case changed(State) }`.
public struct ChangeEvent<State: Sendable>: ReplaceableEvent {
    package static var name: String { "changed" }

    /// All that a View shows.
    public let state: State

    /// A newer state makes an older one needless.
    public var coalescingKey: String? { Self.name }
}

extension ChangeEvent: Encodable where State: Encodable {
    /// Encodes the one case, `changed`, with the state.
    public func encode(to encoder: any Encoder) throws {
        try CaseEncoding(name: Self.name).encode(state, to: encoder)
    }
}
