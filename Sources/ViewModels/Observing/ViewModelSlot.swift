/// Where a `HasViewModel` keeps its view model: a stored property of the View, so that the two are released together.
///
/// A View only makes it; all else is done by `HasViewModel`.
@MainActor public final class ViewModelSlot {
    private(set) var viewModel: Any?
    /// Shows the view model anew. Holds it, but not the View.
    private var show: () -> Void = {}

    /// A slot with no view model.
    public init() {}

    func fill(with viewModel: Any, show: @escaping () -> Void) {
        clear()
        self.viewModel = viewModel
        self.show = show
        // The slot is the owner, not the View, which may have a subscription of its own.
        (viewModel as? any NotifiesOnChange)?.changed.subscribe(self) { @MainActor slot in slot.show() }
        show()
    }

    func clear() {
        (viewModel as? any NotifiesOnChange)?.changed.unsubscribe(self)
        viewModel = nil
        show = {}
    }
}
