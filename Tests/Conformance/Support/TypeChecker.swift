import Testing

/// A compiler that only checks, and says where a program is wrong.
enum TypeChecker: CaseIterable {
    case typescript
    case python

    var tool: Tool {
        switch self {
        case .typescript: .tsc
        case .python: .mypy
        }
    }

    /// `--typescript` or `--python`.
    var option: String { "--\(self)" }

    /// What the server makes.
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

    /// What is wrong with one line, in words and as `orders.ts:12`.
    struct Finding: Equatable {
        let place: String
        let text: String
    }

    /// As strictly as it can be.
    func errors(in files: String..., folder: TemporaryFolder) throws -> [Finding] {
        let paths = files.map { folder.file($0) }
        let program = try Program(tool.command, arguments(folder) + paths, patience: .seconds(180))
        program.closeInput()
        let lines = try program.lines()
        let ending = try program.end()
        let errors = lines.compactMap(finding)
        try #require(errors.isEmpty == (ending == .status(0)), "\(ending) \(lines) \(program.report)")
        return errors
    }

    private func arguments(_ folder: TemporaryFolder) -> [String] {
        switch self {
        case .typescript: ["--strict", "--noEmit", "--pretty", "false", "--target", "es2018"]
        case .python:
            [
                "--strict", "--python-version", "3.9", "--no-pretty", "--no-error-summary",
                "--cache-dir", folder.file("cache"),
            ]
        }
    }

    /// Of `orders.ts(12,3): error TS2345: …` or `orders.py:12: error: …`.
    private func finding(_ line: String) -> Finding? {
        guard let match = line.firstMatch(of: /^([^(:]+)[(:](\d+)[^ ]* error/) else { return nil }
        let name = match.1.split(separator: "/").last ?? ""
        return Finding(place: "\(name):\(match.2)", text: line)
    }
}
