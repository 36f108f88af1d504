/// The slot that a keyed container writes to.
///
/// Members are written by what is not generic: in code that is, each use of a type that depends on the key asks the
/// runtime for it.
final class EncodingPlace: ContainerPlace {
    var slot: EncodingState.SlotReference
    /// Nil once the encoding has ended.
    private(set) var front: UnsafeMutablePointer<EncodingState.Front>?
    /// The same without counting it. Valid while `front` is there: either the shelf that this place stands on is the
    /// state's own, which makes it leave before the state can go, or `keeper` is set.
    private var uncountedState: Unmanaged<EncodingState>?
    private var keeper: EncodingState?
    let names = MemberNames()

    /// Nowhere.
    override init() {
        slot = .dead
    }

    init(_ state: EncodingState, _ slot: EncodingState.SlotReference) {
        self.slot = slot
        front = state.front
        uncountedState = .passUnretained(state)
    }

    /// For a place that is on no shelf: what is kept of it then keeps the state from being used again.
    func keepState() {
        keeper = state
    }

    deinit { names.deallocate() }

    override func leave() {
        front = nil
        uncountedState = nil
        slot = .dead
    }

    var state: EncodingState? { uncountedState?.takeUnretainedValue() }

    var codingPath: [any CodingKey] { state?.codingPath(of: slot) ?? [] }
}
