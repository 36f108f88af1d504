/// What a `NotifyingViewModel` is hosted with: its state, newest only.
///
/// It encodes as the compiler would encode `enum { case changed(State) }`.
package struct ChangeEvent<State: Sendable>: ReplaceableEvent {
    package static var name: String { "changed" }

    package let state: State

    package var coalescingKey: String? { Self.name }
}

extension ChangeEvent: Encodable where State: Encodable {
    package func encode(to encoder: any Encoder) throws {
        try CaseEncoding(name: Self.name).encode(state, to: encoder)
    }
}
