import JSON
import ViewModelProtocol

/// One view of a session: this program's own, or another's.
public struct RemoteViewer: Hashable, Sendable {
    /// The name of the person, by their token; nil where the server knows none.
    public var principal: String?
    /// The name of the program, as it says; nil where it says none.
    public var program: String?
    /// Whether it may only look.
    public var looksOnly: Bool
    /// Whether it is this view model's own.
    public var isSelf: Bool

    /// Makes a viewer, for a test.
    public init(principal: String? = nil, program: String? = nil, looksOnly: Bool = false, isSelf: Bool = false) {
        (self.principal, self.program) = (principal, program)
        (self.looksOnly, self.isSelf) = (looksOnly, isSelf)
    }

    /// Members are read one by one, as unknown values come from later versions.
    init(_ view: JSONValue) {
        self.init(
            principal: view.member("principal")?.string(), program: view.member("program")?.string(),
            looksOnly: view.member("access")?.isString("read") ?? false, isSelf: view.member("you")?.boolean() ?? false)
    }
}
