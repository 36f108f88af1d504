/// What the scenes of one executor have in common, once for all of them.
package final class SceneContext: Sendable {
    /// Makes the session of a view model that is shown.
    package typealias MakeSession = @Sendable (_ name: String, any ModelHost, Scene) throws -> Session

    let registry: Registry
    let maximumCount: Int
    let makeSession: MakeSession

    /// - Parameter maximumCount: how many view models can be on screen at once.
    package init(registry: Registry, maximumCount: Int, makeSession: @escaping MakeSession) {
        self.registry = registry
        self.maximumCount = maximumCount
        self.makeSession = makeSession
    }
}
