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
    /// It is read in the view model's isolation: when a handler or a hook has returned, and in a durable session also after
    /// events that the view model sends by itself, as its state is. Reading it must not send any event.
    var title: String { get async }
}
