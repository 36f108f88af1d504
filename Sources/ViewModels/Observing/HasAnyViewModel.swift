/// A View that is given its view model by who doesn't know its type: a list its cells, whatever cells they are.
///
/// ```swift
/// (cell as? any HasAnyViewModel)?.anyViewModel = viewModel.orders[row]
/// ```
@MainActor public protocol HasAnyViewModel: AnyObject {
    /// The view model. One of a type that this View can't show is ignored, and the one before stays; nil takes it off.
    var anyViewModel: Any? { get set }
}
