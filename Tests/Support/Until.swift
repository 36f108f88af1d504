import Testing

/// Far more than any machine needs: it ends a run that would hang.
private let patience = Duration.seconds(240)
/// So often others had their turn meanwhile: where all tests of a run have begun at once, one turn may take minutes.
private let fewestTurns = 1_000

/// Lets other tasks run until `condition` holds, or until the test is out of time. A condition that doesn't come is an
/// issue of the test.
///
/// For a condition that nothing reports, such as the end of an object that a task still holds. Where an event can be
/// awaited (`Gate`, `Recorder`), await it.
package func until(
    file: String = #fileID, path: String = #filePath, line: Int = #line, column: Int = #column,
    _ condition: () -> Bool
) async {
    let deadline = ContinuousClock.now + patience
    var turns = 0
    while !condition(), !Task.isCancelled {
        turns += 1
        guard turns < fewestTurns || ContinuousClock.now < deadline else {
            let place = SourceLocation(fileID: file, filePath: path, line: line, column: column)
            Issue.record("the condition didn't come in \(patience)", sourceLocation: place)
            return
        }
        await Task.yield()
    }
}
