import Contracts
import Testing

/// What a changed scope, or changed arguments of a scope, do to stored sessions.
struct ScopeComparisonTests {
    private static func contract(_ scope: String?, _ members: String = "", isDurable: Bool = true) -> String {
        let scope = scope.map { #""scope": "\#($0)", "# } ?? ""
        let state = isDurable ? #", "state": { "type": "object" }"# : ""
        let arguments = #"{ "type": "object", "properties": { \#(members) }, "additionalProperties": false }"#
        return #"{ \#(scope)"arguments": \#(arguments), "viewEvent": {}, "viewModelEvent": {}\#(state) }"#
    }

    private static let board = #""board": { "type": "string" }"#
    private static let renamed = #""name": { "type": "string" }"#
    private static let lost = "! scope: stored sessions are found by their keys alone from now on"

    @Test(arguments: [
        (
            contract(nil), contract("person"),
            [
                "+ scope: was each, is person",
                "+ scope: stored sessions of before are found by their keys alone from now on",
            ]
        ),
        (contract("person"), contract("everyone"), ["+ scope: was person, is everyone", lost]),
        (contract("everyone"), contract(nil), ["+ scope: was everyone, is each", lost]),
        (contract("person", isDurable: false), contract(nil, isDurable: false), ["+ scope: was person, is each"]),
        // A new member that is left out where it has its default.
        (contract("everyone"), contract("everyone", board), []),
        (
            contract("everyone", board), contract("everyone", renamed),
            ["! scope: stored sessions aren't found by arguments of the new form"]
        ),
        (contract("everyone", board, isDurable: false), contract("everyone", renamed, isDurable: false), []),
        (contract(nil, board), contract(nil, renamed), []),
    ])
    func `a change is told with the sessions that aren't found any more`(
        old: String, new: String, expected: [String]
    ) throws {
        let changes = try ContractComparison(old: JSONTree(parsing: old), new: JSONTree(parsing: new)).changes
        let marks: [ContractChange.Effect: String] = [.breakingSessions: "!", .compatible: "+"]
        let told = changes.filter { $0.place == "scope" }.map { "\(marks[$0.effect] ?? "?") \($0.place): \($0.what)" }
        #expect(told == expected)
        #expect(changes.allSatisfy { ($0.advice != nil) == ($0.effect == .breakingSessions) })
    }
}
