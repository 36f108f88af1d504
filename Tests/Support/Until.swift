/// Lets other tasks run until `condition` holds, however long that takes, or until the test is out of time.
///
/// For a condition that nothing reports, such as the end of an object that a task still holds. Where an event can be
/// awaited (`Gate`, `Recorder`), await it.
package func until(_ condition: () -> Bool) async {
    while !condition(), !Task.isCancelled { await Task.yield() }
}
