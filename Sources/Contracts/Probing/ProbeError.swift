/// Why a type's shape can't be found out.
struct ProbeError: Error {
    let reason: String

    /// A type that holds itself has no shortest value in that case; another case may have.
    static let endless = ProbeError(reason: "a value of it would have no end")
    static func custom(_ what: String) -> ProbeError {
        ProbeError(reason: "its Codable conformance isn't the compiler's: \(what)")
    }
}
