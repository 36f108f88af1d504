/// Why a type's shape can't be found out.
struct ProbeError: Error {
    let reason: String
    /// Whose shape it is, where that isn't the type that was asked for but one that it holds.
    var type: TypeName?

    /// A type that holds itself has no shortest value in that case; another case may have.
    /// The innermost one is to blame.
    func blaming(_ type: any Any.Type) -> ProbeError {
        ProbeError(reason: reason, type: self.type ?? TypeName(type))
    }

    static let endless = ProbeError(reason: "a value of it would have no end")
    static let unknown = ProbeError(reason: "its form isn't known here")
    static func custom(_ what: String) -> ProbeError {
        ProbeError(reason: "its Codable conformance isn't the compiler's: \(what)")
    }
}
