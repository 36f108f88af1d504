/// One difference between what clients were told and what the code says now.
package struct ContractChange: Equatable, Sendable {
    /// What it means for clients that were written before.
    package enum Effect: Equatable, Sendable {
        /// Some that worked don't any more.
        case breaking
        /// They go on as they are.
        case compatible
    }

    package let effect: Effect
    /// `viewEvent selectOrder`, or what is inside it: `viewModelEvent orders: value[].name`.
    package let place: String
    /// In words: `"index" was removed`.
    package let what: String

    package init(effect: Effect, place: String, what: String) {
        self.effect = effect
        self.place = place
        self.what = what
    }
}
