/// A command that an executable adds to those of every terminal client, usually because it has a view for a view model.
package struct AddedCommand: Sendable {
    /// A command of one console, which runs each time that it is typed.
    @MainActor package protocol Run: AnyObject {
        /// Runs the command.
        ///
        /// - Parameter words: the words that were typed after the name.
        /// - Throws: an error whose text a person understands, or `CancellationError`.
        func run(_ words: [TypedWord]) async throws
    }

    /// The name, typed first on a line. It hides an event of that kind, as a `ConsoleWord` does.
    let name: String
    /// The name and the arguments, for a help text.
    let usage: String
    let summary: String
    /// Returns the members that Tab offers, given the known contracts by view model name.
    let form: @Sendable ([String: ViewModelForms]) -> MembersForm
    /// Makes the command for a console, which outlives it.
    let make: @MainActor @Sendable (Console) -> any Run

    package init(
        name: String, usage: String, summary: String,
        form: @escaping @Sendable ([String: ViewModelForms]) -> MembersForm,
        make: @escaping @MainActor @Sendable (Console) -> any Run
    ) {
        self.name = name
        self.usage = usage
        self.summary = summary
        self.form = form
        self.make = make
    }
}

/// The added commands of one console.
@MainActor struct AddedCommands {
    let all: [AddedCommand]
    /// The commands that were used, by name. Each is made when it is first typed.
    private var runs: [String: any AddedCommand.Run] = [:]

    init(_ all: [AddedCommand]) {
        self.all = all
    }

    /// Returns the command of this name; nil if there is none.
    mutating func run(of name: String, in console: Console) -> (any AddedCommand.Run)? {
        let run = runs[name] ?? all.first { $0.name == name }?.make(console)
        runs[name] = run
        return run
    }
}

/// A view that takes up the whole screen of a terminal for a while, in place of the prompt.
@MainActor package protocol FullScreenView: AnyObject {
    /// Whether keys go to the view.
    var isOnScreen: Bool { get }

    func take(_ key: Key)
    /// Draws the view again: the terminal has another size, or another program had used it.
    func didResize()
    /// Sets the reason why the view may be out of date; nil if it isn't.
    func setHindrance(_ hindrance: Hindrance?)
}
