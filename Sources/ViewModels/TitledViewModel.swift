/// A view model whose sessions have a title, by which a person tells them apart in a list of those that they may come back
/// to.
///
/// ```swift
/// actor ListViewModel: ViewModel, TitledViewModel {
///     var title: String { "\(name): \(items.count) items" }
/// }
/// ```
///
/// The list has it for sessions that can be found again: durable ones, and those of the scopes `person` and `everyone`.
public protocol TitledViewModel: AnyObject, Sendable {
    /// What the session is about, in a few words. An empty title is none, and of one with more than 200 characters the rest
    /// is cut.
    ///
    /// It is read in the view model's isolation, and must not send any event. In a durable session that is when a handler has
    /// returned, and after events that the view model sends by itself; the title is stored with the state. In others it is
    /// when somebody asks for the list, also while a handler awaits. A view model that is busy for a second then has no title
    /// in that list.
    var title: String { get async }
}
