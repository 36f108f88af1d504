import Testing

/// Judges JSON texts with Python's `jsonschema`, a validator that isn't this project's own.
struct PythonSchemaValidator {
    private let path: String

    /// - Parameter schema: a file of `Schemas`.
    init(schema: String) {
        self.init(path: "\(Checkout.root)/Schemas/\(schema)")
    }

    /// - Parameter path: a file with a schema.
    init(path: String) {
        self.path = path
    }

    static let isInstalled: Bool = {
        guard Tool.python.isInstalled, let python = try? Program(Tool.python.command, ["-c", "import jsonschema"])
        else {
            return false
        }
        return (try? python.finish()) == .status(0)
    }()

    /// The first violation in each line; nil for a valid one.
    ///
    /// - Parameter pointer: the schema in the file to judge by; empty for the whole.
    func judge(_ lines: [String], by pointer: String = "") throws -> [String?] {
        try judge(lines.map { (pointer, $0) })
    }

    /// The first violation in each line, by a schema of its own; nil for a valid one.
    func judge(_ lines: [(pointer: String, text: String)]) throws -> [String?] {
        let python = try Program(Tool.python.command, ["-c", Self.script, path])
        do {
            for (pointer, text) in lines { try python.send("\(pointer)\t\(text)") }
        } catch let failure as SystemFailure {
            // It ends early where it doesn't take the schema.
            throw SystemFailure(description: "\(failure): \(try python.errorText())")
        }
        python.closeInput()
        let verdicts = try python.lines()
        let ending = try python.end()
        try #require(ending == .status(0), "\(python.report)")
        try #require(verdicts.count == lines.count)
        return verdicts.map { $0 == "valid" ? nil : $0 }
    }

    private static let script = """
        import json, sys
        from jsonschema import Draft202012Validator as Validator
        with open(sys.argv[1], encoding="utf-8") as file:
            schema = json.load(file)
        Validator.check_schema(schema)
        validators = {"": Validator(schema)}
        for line in sys.stdin.buffer:
            pointer, text = line.decode().split("\\t", 1)
            if pointer not in validators:
                parts = [name for name in ("$defs", "arguments", "viewEvent", "viewModelEvent") if name in schema]
                validators[pointer] = Validator({"$ref": "#" + pointer} | {name: schema[name] for name in parts})
            try:
                error = next(validators[pointer].iter_errors(json.loads(text)), None)
                print("valid" if error is None else error.message.replace("\\n", " "))
            except ValueError as error:
                print(error)
        """
}

extension Trait where Self == ConditionTrait {
    /// Skipped where Python's `jsonschema` is missing.
    static var needsPythonSchemaValidator: Self {
        .enabled(if: PythonSchemaValidator.isInstalled, "Python's jsonschema is not installed")
    }
}
