/// A View that has a view model of one type, and shows it anew each time it is set or notifies.
///
/// ```swift
/// final class OrderCell: ViewModelOwner, HasViewModel {
///     private(set) var text = ""
///
///     func viewModelChanged(_ viewModel: OrderViewModel) {
///         text = viewModel.name
///     }
/// }
/// ```
///
/// The conforming type writes `viewModelChanged(_:)` and no more, where its base class is `ViewModelOwner`. One with another
/// base class also writes `let viewModelSlot = ViewModelSlot()`, once, there or in that base. That line is the price of
/// releasing the view model together with its View: an object can be given storage from outside only where there is an
/// Objective-C runtime, and a table beside the objects couldn't know when a View goes, or would keep a view model that knows
/// its View for ever.
///
/// It keeps its view model. It is all on the main actor.
@MainActor public protocol HasViewModel<ViewModel>: HasAnyViewModel {
    /// What this View shows.
    associatedtype ViewModel

    /// Keeps the view model: one object for the View's whole life.
    var viewModelSlot: ViewModelSlot { get }

    /// Shows `viewModel`: called at once each time it is set, and soon after each time it notifies.
    func viewModelChanged(_ viewModel: ViewModel)
}

extension HasViewModel {
    /// The view model, of whatever type. One that is no `ViewModel` is ignored, and the one before stays; nil takes it off.
    public var anyViewModel: Any? {
        get { viewModelSlot.viewModel }
        set {
            guard let newValue else { return viewModelSlot.clear() }
            guard let viewModel = newValue as? ViewModel else { return }
            viewModelSlot.fill(with: viewModel) { [weak self] in self?.viewModelChanged(viewModel) }
        }
    }

    /// The view model, and nil where there is none. Setting it calls `viewModelChanged(_:)` before the setter returns; a view
    /// model that notifies is listened to from then on, and the one before no longer.
    public var viewModel: ViewModel? {
        get { anyViewModel as? ViewModel }
        set { anyViewModel = newValue }
    }
}
