extension View {
    /// Connects this View to `viewModel`: the View's handler first, then the view model's, then `setupBindings()`, then
    /// `start()`, so that nothing which `start()` sends is missed.
    ///
    /// The View keeps the view model, as `viewModel`; the view model doesn't keep the View. Binding again releases the
    /// binding before. Several Views may bind one view model; it starts with the first of them.
    ///
    /// - Throws: what `start()` throws. The binding stands nevertheless.
    public func bind<Model: ViewModel>(with viewModel: Model) async throws
    where Model.ViewModelEvent == ViewModelEvent, Model.ViewEvent == ViewEvent {
        let erased = viewModel as? AnyViewModel<ViewModelEvent, ViewEvent> ?? AnyViewModel(viewModel)
        output.retained = Binding(of: self, with: erased)
        await setupBindings()
        try await erased.start()
    }

    /// The view model that this View was bound with last.
    ///
    /// `try await viewModel?.handle(event:)` is the way to send an event and learn its outcome; it doesn't queue behind
    /// what went through `output`.
    public var viewModel: AnyViewModel<ViewModelEvent, ViewEvent>? {
        (output.retained as? Binding<ViewModelEvent, ViewEvent>)?.viewModel
    }
}
