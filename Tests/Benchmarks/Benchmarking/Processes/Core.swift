import CBenchmarking

/// One core for everybody: what goes to and fro between two processes is measured so, since on two it is the machine's
/// waking of an idle core.
package enum Core {
    /// Holds this process, and those that `body` starts, to one core.
    package static func withOne<Result>(_ body: () throws -> Result) throws -> Result {
        let code = cbenchmarking_pin()
        guard code == 0 else { throw SystemFailure("sched_setaffinity", -code) }
        defer { cbenchmarking_unpin() }
        return try body()
    }
}
