/// Gives way to other tasks until `condition` holds: for what a test can see but not be told of. Not a wait for time.
package func until(_ condition: () -> Bool) async {
    while !condition() { await Task.yield() }
}
