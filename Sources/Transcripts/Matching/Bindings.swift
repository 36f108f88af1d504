/// What stands in this play for what the transcript has.
struct Bindings {
    var keys = KeyBindings()
    var ids = IDBindings()

    /// What was learnt from a message that fits as a whole.
    mutating func formUnion(_ other: Bindings) {
        keys.formUnion(other.keys)
        ids.formUnion(other.ids)
    }
}
