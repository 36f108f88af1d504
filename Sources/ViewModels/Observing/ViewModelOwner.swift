/// A base class for Views that have a view model: keeps it for `HasViewModel`, and nothing else.
@MainActor open class ViewModelOwner {
    /// Keeps the view model of a subclass that is a `HasViewModel`.
    public let viewModelSlot = ViewModelSlot()

    /// A View with no view model.
    public init() {}
}
