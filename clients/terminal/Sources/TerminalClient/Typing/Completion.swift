import Contracts

/// The candidates for the word before the cursor.
package struct Completion: Equatable {
    /// A word that can stand before the cursor.
    package struct Candidate: Equatable {
        package let text: String
        /// The text to insert after the candidate if it is the only one.
        package let suffix: String
        /// The remark after the candidate in a list.
        package let note: String

        package init(text: String, suffix: String = " ", note: String = "") {
            self.text = text
            self.suffix = suffix
            self.note = note
        }
    }

    /// The number of characters before the cursor that a candidate replaces.
    package let replaced: Int
    package let candidates: [Candidate]

    /// The common beginning of all candidates; if there is only one, that one with its suffix.
    package var commonText: String {
        guard let first = candidates.first else { return "" }
        if candidates.count == 1 { return first.text + first.suffix }
        return candidates.dropFirst().reduce(first.text) { common, candidate in
            String(zip(common, candidate.text).prefix { $0 == $1 }.map(\.0))
        }
    }
}

/// Completes typed lines with all words that are possible at the cursor.
package struct Completer {
    /// The view models that can be opened.
    package var viewModels: [String] = []
    /// The contract of the view model on screen.
    package var current: ViewModelForms?
    /// Whether nothing can be sent to that: the session's key only lets one look.
    package var looksOnly = false
    /// The known contracts, by the names of view models.
    package var known: [String: ViewModelForms] = [:]
    package var keys: [String] = []
    package var numbers: [Int] = []
    /// The kinds of the events that have come.
    package var shownKinds: [String] = []

    /// The commands besides the `ConsoleWord`s.
    package var added: [AddedCommand] = []

    package init() {}

    /// Returns the candidates at the cursor.
    ///
    /// - Parameter left: the text before the cursor.
    package func complete(_ left: String) -> Completion {
        guard let (words, last) = TypedLine.unfinished(left) else { return Completion(replaced: 0, candidates: []) }
        let matching = candidates(words, last).filter { $0.text.hasPrefix(last) }
        return Completion(replaced: last.count, candidates: matching)
    }

    /// Returns the view model whose contract the completion needs and isn't known; nil if there is none.
    package func unknownViewModel(in left: String) -> String? {
        guard let words = TypedLine.unfinished(left)?.words, words.count > 1,
            words[0].plainText == ConsoleWord.open.rawValue
        else { return nil }
        let name = words[1].plainText
        return viewModels.contains(name) && known[name] == nil ? name : nil
    }

    private func candidates(_ words: [TypedWord], _ last: String) -> [Completion.Candidate] {
        guard let first = words.first?.plainText else { return sentKinds + commands }
        let rest = Array(words.dropFirst())
        switch ConsoleWord(typed: first) {
        case .open:
            guard let name = rest.first?.plainText else { return plain(viewModels) }
            return members(known[name]?.arguments, given: Array(rest.dropFirst()), last)
        case .send:
            guard let kind = rest.first?.plainText else { return sentKinds }
            return members(current?.viewEvent(kind)?.form, given: Array(rest.dropFirst()), last)
        case .wait:
            guard let kind = rest.first?.plainText else { return Self.candidates(current?.viewModelEvents) }
            return members(current?.viewModelEvent(kind)?.form, given: Array(rest.dropFirst()), last)
        case .describe: return rest.isEmpty ? kinds + plain(viewModels) : []
        case .show: return rest.isEmpty ? plain(shownKinds) : []
        case .rows: return rest.isEmpty ? plain(current?.lists ?? []) : []
        case .attach: return rest.isEmpty ? plain(keys) : []
        case .use: return rest.isEmpty ? plain(numbers.map(String.init)) : []
        case .share: return rest.isEmpty ? plain(["look"]) : []
        case .help, .list, .reopen, .sessions, .back, .close, .detach, .quit, .exit: return []
        case nil:
            guard let command = added.first(where: { $0.name == first }) else {
                return members(current?.viewEvent(first)?.form, given: rest, last)
            }
            // Words without a name are the text to find, and no members.
            return members(command.form(known), given: rest.filter { $0.name != nil }, last)
        }
    }

    private var sentKinds: [Completion.Candidate] { looksOnly ? [] : kinds }

    private var kinds: [Completion.Candidate] { Self.candidates(current?.viewEvents) }

    private static func candidates(_ kinds: [ViewModelForms.Kind]?) -> [Completion.Candidate] {
        (kinds ?? []).map { kind in
            Completion.Candidate(text: kind.name, note: kind.form.members.isEmpty ? "" : kind.form.usage)
        }
    }

    private var commands: [Completion.Candidate] {
        plain(ConsoleWord.all(\.rawValue, adding: added.map(\.name)))
    }

    private func plain(_ texts: [String]) -> [Completion.Candidate] {
        texts.map { Completion.Candidate(text: $0) }
    }

    private func members(_ form: MembersForm?, given: [TypedWord], _ last: String) -> [Completion.Candidate] {
        guard let form else { return [] }
        if let equals = last.firstIndex(of: "=") {
            guard let member = form.members.first(where: { $0.name == last[..<equals] }) else { return [] }
            return values(of: member.value).map { Completion.Candidate(text: "\(member.name)=\($0)") }
        }
        let unnamed = given.count { $0.name == nil }
        let left = form.members.enumerated().filter { index, member in
            index >= unnamed && !given.contains { $0.name == member.name }
        }
        return left.map { Completion.Candidate(text: "\($1.name)=", suffix: "", note: $1.value.placeholder) }
    }

    private func values(of schema: ValueSchema) -> [String] {
        let choices = schema.choices.map(\.shortText)
        if !choices.isEmpty { return choices }
        return schema.alternatives.contains { $0.types?.contains("boolean") == true } ? ["true", "false"] : []
    }
}
