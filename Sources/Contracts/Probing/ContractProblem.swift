/// Why a view model has no contract: a type whose form on the wire nothing tells for certain.
package struct ContractProblem: Sendable, Equatable {
    /// The registered name.
    package let viewModel: String
    /// Where the type was met: `viewModelEvent`, `arguments`, …
    package let part: String
    /// With its module: `Shop.Money`.
    package let type: String
    /// The property or case of that type, in Swift; nil for the type itself.
    package let member: String?
    package let reason: String
}

extension Documentation {
    /// Where the type that makes a problem is declared, or encodes itself.
    package func place(of problem: ContractProblem) -> Place? {
        let path = TypeName.path(problem.type)
        return coding(path) ?? place(path + [problem.member].compactMap { $0 })
    }
}
