/// A view model that is told who looks at it, and so can tell everybody who is here.
///
/// ```swift
/// actor BoardViewModel: ViewModel, PresenceViewModel {
///     private var here: [String] = []
///
///     func viewersDidChange(_ viewers: [Client]) {
///         here = viewers.compactMap(\.principal)
///         output.send(.here(here))
///     }
/// }
/// ```
///
/// A view model that many share is told of the people, and not of the screens that they have around it: where a View is a
/// `Shared` of another view model, those count who look at that one.
public protocol PresenceViewModel: HostableViewModel {
    /// Called when somebody has come or gone. Of several changes that come close together only the last is told.
    ///
    /// It takes its turn among the handlers, as the other hooks of `HostableViewModel` do: after `start()` or `resume()` and
    /// `viewsDidAppear()`, and before `viewsDidDisappear()`. Before the first call nobody is here. In a later life of a
    /// `DurableViewModel`, that is so again.
    ///
    /// - Parameter viewers: one for each view, in the order in which they came; so a person with two programs is there twice. A
    ///   client of which nothing is known has neither `principal` nor `program`. Of one screen, at most 100 are told. Local
    ///   Views aren't among them.
    func viewersDidChange(_ viewers: [Client]) async
}
