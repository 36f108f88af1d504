import JSONRPC
import Testing

@Suite struct BatchTests {
    @Test(arguments: [(["{}"], "[{}]"), (["1", "{}", "3"], "[1,{},3]")])
    func `the array is there with the last answer owed, in the order of the answers`(answers: [String], array: String) {
        var batch = Batch(owed: answers.count)
        let results = answers.map { batch.add(Array($0.utf8)) }
        #expect(results == answers.dropLast().map { _ in nil } + [Array(array.utf8)])
    }
}
