import TestSupport
import Testing
import Transport

extension TransportTests {
    /// Twenty channels on which all happens at once.
    @Suite struct LinkTrafficTests {
        /// What one side does with a channel, step by step.
        private enum Step: Sendable {
            case write([[UInt8]])
            case writePart([UInt8])
            case pause, resume
            case finishWriting, finish, close
        }

        /// The plan of one side, and the messages that it sends.
        private struct Plan: Sendable {
            var steps: [Step] = []
            var messages: [[UInt8]] = []
            /// Whether all messages reach the other side, where that one doesn't leave.
            var isOrderly = true
            /// The side takes no more messages.
            var leaves = false

            init(_ random: inout SeededGenerator, tag: UInt8) {
                var begun: [UInt8] = []
                for _ in 0..<Int.random(in: 5...40, using: &random) {
                    switch Int.random(in: 0..<10, using: &random) {
                    case 0: steps.append(.pause)
                    case 1, 2: steps.append(.resume)
                    case 3:
                        let part = Self.bytes(&random, tag: tag)
                        begun += part
                        steps.append(.writePart(part))
                    default:
                        let count = Int.random(in: 1...5, using: &random)
                        var written = (0..<count).map { _ in Self.bytes(&random, tag: tag) }
                        steps.append(.write(written))
                        written[0] = begun + written[0]
                        begun = []
                        messages += written
                    }
                }
                steps.append(.resume)
                switch Int.random(in: 0..<6, using: &random) {
                case 0: (leaves, isOrderly) = (true, false); steps.append(.close)
                case 1: leaves = true; steps.append(.finish)
                default: steps.append(.finishWriting)
                }
            }

            private static let source = pattern(301_000)

            private static func bytes(_ random: inout SeededGenerator, tag: UInt8) -> [UInt8] {
                let length = random.chance(2) ? 300_000 : random.chance(5) ? 70_000 : 300
                let start = Int.random(in: 0..<1_000, using: &random)
                return [tag] + source[start..<(start + Int.random(in: 0...length, using: &random))]
            }
        }

        private static func take(_ step: Step, _ recorder: Recorder) {
            switch step {
            case .write(let messages):
                for message in messages { recorder.stream.write { $0.append(contentsOf: message) } }
            case .writePart(let part): recorder.stream.write(isLast: false) { $0.append(contentsOf: part) }
            case .pause: recorder.stream.isReadingPaused = true
            case .resume: recorder.stream.isReadingPaused = false
            case .finishWriting: recorder.stream.finishWriting()
            case .finish: recorder.stream.finish()
            case .close: recorder.stream.close()
            }
        }

        @Test(arguments: LinkKind.allCases, 0..<4)
        func `what comes is what was sent, in its order`(kind: LinkKind, seed: Int) async throws {
            var random = SeededGenerator(seed: seed)
            let plans = (0..<20).map { (near: Plan(&random, tag: $0), far: Plan(&random, tag: 0x80 | $0)) }
            try await withLink(kind) { links in
                var channels: [LinkPair.Ends] = []
                for number in plans.indices { channels.append(try await links.open("\(number)")) }
                let longest = plans.map { max($0.near.steps.count, $0.far.steps.count) }.max() ?? 0
                for turn in 0..<longest {
                    for (plan, ends) in zip(plans, channels) {
                        try await Self.take(turn, of: plan.near, ends.near)
                        try await Self.take(turn, of: plan.far, ends.far)
                    }
                }
                for (plan, ends) in zip(plans, channels) {
                    try await Self.check(ends.near, of: plan.near, other: plan.far)
                    try await Self.check(ends.far, of: plan.far, other: plan.near)
                }
                for end in channels.flatMap({ [$0.near, $0.far] }) {
                    try await end.run { $0.stream.close() }
                    try await end.until("the close") { $0.isClosed }
                }
            }
        }

        private static func take(_ turn: Int, of plan: Plan, _ end: LinkPair.End) async throws {
            guard turn < plan.steps.count else { return }
            try await end.run { take(plan.steps[turn], $0) }
        }

        private static func check(_ end: LinkPair.End, of plan: Plan, other: Plan) async throws {
            // A side that is left, and has nothing more to send, isn't closed until it ends itself.
            try await end.until("the end") { $0.isClosed || $0.endCount == 1 }
            try await end.run { recorder in
                #expect(other.messages.starts(with: recorder.messages), "messages are changed, doubled or out of order")
                if other.isOrderly, !plan.leaves, !recorder.closures.contains(where: { $0 != nil }) {
                    #expect(recorder.messages.count == other.messages.count, "messages are missing")
                }
            }
        }
    }
}
