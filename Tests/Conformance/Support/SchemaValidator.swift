import Testing

/// Judges JSON texts by a schema of `Schemas`, with Python's `jsonschema`, which this project didn't write.
struct SchemaValidator {
    /// A file of `Schemas`.
    let schema: String
    /// The name of one of its `$defs`; nil for the schema itself.
    var definition: String?

    static let isInstalled: Bool = {
        guard Tool.python.isInstalled, let python = try? Program(Tool.python.command, ["-c", "import jsonschema"])
        else {
            return false
        }
        return (try? python.finish()) == .status(0)
    }()

    /// For each line what is wrong with it; nil for what is valid.
    func judge(_ lines: [String]) throws -> [String?] {
        let arguments = ["-c", Self.script, "\(Checkout.root)/Schemas/\(schema)", definition ?? ""]
        let python = try Program(Tool.python.command, arguments)
        for line in lines { try python.send(line) }
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
        if sys.argv[2]:
            schema = {"$ref": "#/$defs/" + sys.argv[2], "$defs": schema["$defs"]}
        validator = Validator(schema)
        for line in sys.stdin.buffer:
            try:
                error = next(validator.iter_errors(json.loads(line)), None)
                print("valid" if error is None else error.message.replace("\\n", " "))
            except ValueError as error:
                print(error)
        """
}

extension Trait where Self == ConditionTrait {
    /// Skipped where Python's `jsonschema` is missing.
    static var needsSchemaValidator: Self {
        .enabled(if: SchemaValidator.isInstalled, "Python's jsonschema is not installed")
    }
}
