import Testing

/// A type checker of a client's language, as strict as it can be.
enum TypeChecker: CaseIterable {
    case typescript
    case python

    /// A complaint and its line, as `orders.ts:12`.
    struct Finding: Equatable {
        let place: String
        let text: String
    }

    var tool: Tool {
        switch self {
        case .typescript: .tsc
        case .python: .mypy
        }
    }

    /// Of the command `contract`: `--typescript` or `--python`.
    var option: String { "--\(self)" }

    /// The name of the file that `contract` writes.
    var fileName: String {
        switch self {
        case .typescript: "view-models.d.ts"
        case .python: "view_models.py"
        }
    }

    /// The end of a program's name.
    var suffix: String {
        switch self {
        case .typescript: ".ts"
        case .python: ".py"
        }
    }

    /// The end of a line that has to be refused.
    var mark: String {
        switch self {
        case .typescript: "// refused"
        case .python: "# refused"
        }
    }

    /// - Parameter files: names in `folder`.
    func errors(in files: String..., folder: TemporaryFolder) throws -> [Finding] {
        let paths = files.map { folder.file($0) }
        let program = try Program(tool.command, arguments(folder) + paths)
        program.closeInput()
        let lines = try program.lines()
        let ending = try program.end()
        let errors = lines.compactMap(finding)
        try #require(errors.isEmpty == (ending == .status(0)), "\(ending) \(lines) \(program.report)")
        return errors
    }

    private func arguments(_ folder: TemporaryFolder) throws -> [String] {
        switch self {
        case .typescript: ["--strict", "--noEmit", "--pretty", "false", "--target", "es2018"]
        case .python:
            ["--strict", "--no-pretty", "--no-error-summary", "--cache-dir", folder.file("cache")]
                + (try pythonVersion())
        }
    }

    /// The oldest Python that the types are for, where this mypy still knows it; else mypy's own default. CI has one
    /// that knows it.
    private func pythonVersion() throws -> [String] {
        let oldest = ["--python-version", "3.9"]
        let mypy = try Program(tool.command, oldest + ["--version"])
        return try mypy.finish() == .status(0) ? oldest : []
    }

    /// Of `orders.ts(12,3): error TS2345: …` or `orders.py:12: error: …`.
    private func finding(_ line: String) -> Finding? {
        guard let match = line.firstMatch(of: /^([^(:]+)[(:](\d+)[^ ]* error/) else { return nil }
        let name = match.1.split(separator: "/").last ?? ""
        return Finding(place: "\(name):\(match.2)", text: line)
    }
}
