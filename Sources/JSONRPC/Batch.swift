/// Collects the answers to one batch until all are there.
package struct Batch {
    private var answers: [[UInt8]] = []
    /// Of the answers that are there.
    package private(set) var bytes = 0
    /// Answers that are still to come.
    private var owed: Int

    /// - Parameter owed: how many of its messages get an answer.
    package init(owed: Int) {
        self.owed = owed
    }

    /// Takes one answer, a JSON object's text. Returns the array of all answers when this was the last one owed.
    package mutating func add(_ answer: [UInt8]) -> [UInt8]? {
        answers.append(answer)
        bytes += answer.count
        owed -= 1
        guard owed <= 0 else { return nil }
        var array: [UInt8] = [UInt8(ascii: "[")]
        for (index, answer) in answers.enumerated() {
            if index > 0 { array.append(UInt8(ascii: ",")) }
            array.append(contentsOf: answer)
        }
        array.append(UInt8(ascii: "]"))
        return array
    }
}
