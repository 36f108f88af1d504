import Testing

/// Judges JSON texts by a schema of `Schemas`, with Python's `jsonschema`, which this project didn't write.
struct PythonSchemaValidator {
    /// A file of `Schemas`.
    let schema: String

    static let isInstalled: Bool = {
        guard Tool.python.isInstalled, let python = try? Program(Tool.python.command, ["-c", "import jsonschema"])
        else {
            return false
        }
        return (try? python.finish()) == .status(0)
    }()

    /// For each line what is wrong with it; nil for what is valid.
    ///
    /// - Parameter pointer: of the schema in the file that judges; empty for the whole.
    func judge(_ lines: [String], by pointer: String = "") throws -> [String?] {
        try judge(lines.map { (pointer, $0) })
    }

    /// The same, by another schema of the file each time.
    func judge(_ lines: [(pointer: String, text: String)]) throws -> [String?] {
        let python = try Program(Tool.python.command, ["-c", Self.script, "\(Checkout.root)/Schemas/\(schema)"])
        for (pointer, text) in lines { try python.send("\(pointer)\t\(text)") }
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
                validators[pointer] = Validator({"$ref": "#" + pointer, "$defs": schema["$defs"]})
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
