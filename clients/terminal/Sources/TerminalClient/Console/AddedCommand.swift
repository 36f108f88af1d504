/// A command that an executable adds to those of every terminal, as it has a view of its own for a view model.
package struct AddedCommand: Sendable {
    /// Runs the command each time that it is typed, for one console.
    @MainActor package protocol Run: AnyObject {
        /// - Parameter words: what is typed behind the name.
        /// - Throws: the reason for a person, or `CancellationError`.
        func run(_ words: [TypedWord]) async throws
    }

    /// Typed first on a line. It hides an event of that kind, as a `ConsoleWord` does.
    let name: String
    /// Its name and what follows, for a help text.
    let usage: String
    let summary: String
    /// The members that Tab offers, by the contracts that are known.
    let form: @Sendable ([String: ViewModelForms]) -> MembersForm
    /// The console outlives it.
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
    /// Each made when its command is first typed, and kept.
    private var runs: [String: any AddedCommand.Run] = [:]

    init(_ all: [AddedCommand]) {
        self.all = all
    }

    /// Nil where there is no such command.
    mutating func run(of name: String, in console: Console) -> (any AddedCommand.Run)? {
        let run = runs[name] ?? all.first { $0.name == name }?.make(console)
        runs[name] = run
        return run
    }
}

/// A view that has the whole screen of a terminal for a while, in place of the prompt.
@MainActor package protocol FullScreenView: AnyObject {
    /// Whether keys are the view's.
    var isOnScreen: Bool { get }

    func take(_ key: Key)
    /// The terminal has another size, or was another program's meanwhile.
    func didResize()
    /// Why what is shown may be old; nil where all is well.
    func setHindrance(_ hindrance: Hindrance?)
}
