import Contracts
import Transcripts
import ViewModels

/// Formats a contract, for `describe`.
package struct FormsText {
    private let style: Style

    package init(style: Style) {
        self.style = style
    }

    package func lines(_ forms: ViewModelForms) -> [String] {
        var lines = [style.bold(forms.name) + (forms.description.map { "  \(TerminalText.visible($0))" } ?? "")]
        if !forms.arguments.members.isEmpty {
            lines.append("opened with")
            lines += members(forms.arguments)
        }
        lines.append("takes")
        lines += kinds(forms.viewEvents)
        lines.append("sends")
        lines += kinds(forms.viewModelEvents)
        return lines
    }

    package func lines(_ kind: ViewModelForms.Kind) -> [String] {
        [line(kind)] + members(kind.form)
    }

    private func kinds(_ kinds: [ViewModelForms.Kind]?) -> [String] {
        guard let kinds else { return ["  its contract doesn't tell"] }
        return kinds.isEmpty ? ["  nothing"] : kinds.map { "  " + line($0) }
    }

    private func line(_ kind: ViewModelForms.Kind) -> String {
        let usage = kind.form.members.isEmpty ? "" : " \(kind.form.usage)"
        let schedule = kind.schedule == .inOrder ? "" : style.dim("  (\(kind.schedule.words))")
        return style.cyan(TerminalText.visible(kind.name)) + TerminalText.visible(usage) + schedule
            + note(kind.form.description)
    }

    private func members(_ form: MembersForm) -> [String] {
        form.members.map { member in
            let rule = member.value.words + (member.isRequired ? "" : ", may be left out")
            return "  \(TerminalText.visible("\(member.name): \(rule)"))" + note(member.value.description)
        }
    }

    private func note(_ description: String?) -> String {
        description.map { style.dim("  \(TerminalText.visible($0))") } ?? ""
    }
}
