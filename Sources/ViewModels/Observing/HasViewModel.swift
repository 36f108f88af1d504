/// A View with a view model of one type. It shows the view model each time that one is set or notifies.
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
/// A conforming type writes only `viewModelChanged(_:)` where its base class is `ViewModelOwner`. A type with another
/// base class also writes `let viewModelSlot = ViewModelSlot()`, once, there or in that base. The slot keeps the view
/// model for the View, so that the two are released together. Everything is on the main actor.
@MainActor public protocol HasViewModel<ViewModel>: HasAnyViewModel {
    /// The type of view model that this View shows.
    associatedtype ViewModel

    /// Keeps the view model; one object for the View's whole life.
    var viewModelSlot: ViewModelSlot { get }

    /// Shows `viewModel`. Called at once each time it is set, and soon after each time it notifies.
    func viewModelChanged(_ viewModel: ViewModel)
}

extension HasViewModel {
    /// The view model, without its type. Nil takes it off. An object that isn't a `ViewModel` is ignored, and the one
    /// before stays.
    public var anyViewModel: Any? {
        get { viewModelSlot.viewModel }
        set {
            guard let newValue else { return viewModelSlot.clear() }
            guard let viewModel = newValue as? ViewModel else { return }
            viewModelSlot.fill(with: viewModel) { [weak self] in self?.viewModelChanged(viewModel) }
        }
    }

    /// The view model; nil where there is none. Setting it calls `viewModelChanged(_:)` before the setter returns.
    ///
    /// If the view model is a `NotifiesOnChange`, the View is subscribed to it, and no longer to the one before.
    public var viewModel: ViewModel? {
        get { anyViewModel as? ViewModel }
        set { anyViewModel = newValue }
    }
}

/// A View whose view model is set without knowing its type, as a list does for cells of several classes.
///
/// ```swift
/// (cell as? any HasAnyViewModel)?.anyViewModel = viewModel.orders[row]
/// ```
@MainActor public protocol HasAnyViewModel: AnyObject {
    /// The view model. Nil takes it off. One of a type that this View can't show is ignored, and the one before stays.
    var anyViewModel: Any? { get set }
}

/// The stored property of a View that keeps its view model, so that the two are released together.
///
/// A View only makes it. Everything else is done by `HasViewModel`, which has an example.
@MainActor public final class ViewModelSlot {
    private(set) var viewModel: Any?
    /// Shows the view model again. Keeps it, but not the View.
    private var show: () -> Void = {}

    /// A slot without a view model.
    public init() {}

    func fill(with viewModel: Any, show: @escaping () -> Void) {
        clear()
        self.viewModel = viewModel
        self.show = show
        // The slot is the owner, and not the View, which may have a subscription of its own.
        (viewModel as? any NotifiesOnChange)?.changed.subscribe(self) { @MainActor slot in slot.show() }
        show()
    }

    func clear() {
        (viewModel as? any NotifiesOnChange)?.changed.unsubscribe(self)
        viewModel = nil
        show = {}
    }
}

/// A base class for Views that conform to `HasViewModel`. It keeps the view model, and does nothing else.
@MainActor open class ViewModelOwner {
    /// Keeps the view model of a subclass.
    public let viewModelSlot = ViewModelSlot()

    /// A View without a view model.
    public init() {}
}

/// A view model that raises an event when it has changed, without saying what has: its View reads it again.
///
/// ```swift
/// @MainActor final class OrdersViewModel: NotifiesOnChange {
///     let changed = Event<Void>()
///     private(set) var orders: [OrderViewModel] = []
///
///     func show(_ orders: [Order]) {
///         self.orders = orders.map(OrderViewModel.init)
///         changed.raise()
///     }
/// }
/// ```
public protocol NotifiesOnChange: AnyObject, Sendable {
    /// Raised after each change; one object for the view model's whole life. A `HasViewModel` subscribes by itself.
    var changed: Event<Void> { get }
}
