extension Program {
    /// The executable under test.
    static func server(_ arguments: String..., environment: [String: String] = [:]) throws -> Program {
        try Program(Checkout.server, arguments, environment: environment)
    }

    /// Reads standard error up to `listening on ADDRESS` and returns the address.
    func listeningAddress() throws -> String {
        while let line = try errorLine() {
            if line.hasPrefix("listening on ") { return String(line.dropFirst("listening on ".count)) }
        }
        throw Late(description: "the server never said where it listens")
    }
}
