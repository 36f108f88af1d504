extension NewPlan {
    /// What was written, what is left to do, and what to type next.
    var report: String {
        let files = files.map { "new      \($0.path)" }
        let changed = registration.map { ["changed  \($0.path):\($0.line): \($0.statement)"] } ?? []
        let notes = notes.map { "\nstill to do, in \($0)" }
        return (files + changed + notes + ["", "next:"] + commands.map { "  \($0)" }).joined(separator: "\n")
    }

    /// What would be written, and what would be left to do.
    var preview: String {
        let files = files.map { "== new \($0.path)\n\($0.text)" }
        let changed = registration.map { ["== changed \($0.path):\($0.line)\n\($0.statement)\n"] } ?? []
        let notes = notes.map { "== still to do, in \($0)\n" }
        return (files + changed + notes + ["nothing is written with --dry-run"]).joined(separator: "\n")
    }
}
