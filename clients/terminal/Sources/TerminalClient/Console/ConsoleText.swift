package import Contracts
import JSON
import ViewModelClient

/// The texts that a console shows.
@MainActor package struct ConsoleText {
    package let output: any ConsoleOutput
    /// Whether events are shown as JSON.
    package let showsJSON: Bool

    /// Shows a value as JSON on one line, without blanks.
    package func show(json value: JSONTree) {
        output.show([JSONText { value.write(into: &$0) }.description])
    }

    /// Returns the text of an error for a person.
    package static func words(_ error: any Error) -> String {
        guard case RemoteError.refused(let refusal)? = error as? RemoteError, let data = refusal.data,
            let tree = try? JSONTree(parsing: data)
        else { return TerminalTextLine.of("\(error)") }
        let known = tree["known"]?.elements?.compactMap(\.string) ?? []
        // The known names that the message doesn't contain.
        let names =
            known.isEmpty || known.allSatisfy(refusal.message.contains) ? "" : ": \(known.joined(separator: ", "))"
        return TerminalTextLine.of(refusal.message + names)
    }

    /// Returns a value of `$/progress` as text for a person; nil at the end of the progress.
    static func progressText(_ value: JSONText) -> String? {
        let value = value.withValue { JSONTree($0) }
        guard value["kind"]?.string != "end" else { return nil }
        let words = [value["title"]?.string, value["message"]?.string].compactMap { $0 }
        let percentage = value["percentage"]?.number.map { "\($0) %" }
        return TerminalTextLine.of((words + [percentage].compactMap { $0 }).joined(separator: " "))
    }
}
