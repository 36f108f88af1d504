import Sessions
import TestSupport
import Testing
import ViewModels

@Suite(.inTurn) struct HostNavigationTests {
    /// What a scene shows, by the plainest model of it: screens that were presented, each with its stack.
    private struct Plain {
        var layers: [(presented: String?, stack: [String])] = [(nil, [])]
        /// The first presented screen is over the root itself, and not over what was pushed onto that.
        var isOverRoot = false

        var rootText: String {
            let stack = layers[0].stack.joined(separator: " ")
            guard isOverRoot, layers.count > 1, let presented = layers[1].presented else { return stack }
            return "\(stack)(\(presented))"
        }

        mutating func push(_ key: String) {
            layers[layers.count - 1].stack.append(key)
        }

        mutating func present(_ key: String) {
            if layers.count == 1 { isOverRoot = layers[0].stack.isEmpty }
            layers.append((key, []))
        }

        mutating func pop() {
            _ = layers[layers.count - 1].stack.popLast()
        }

        mutating func dismiss() {
            if layers.count > 1 { layers.removeLast() }
        }
    }

    @Test(arguments: 1...10)
    func `a view is told the screens on its session, as they were at the number from which it goes on`(
        seed: Int
    ) async throws {
        var generator = SeededGenerator(seed: seed)
        let stage = try Stage()
        var plain = Plain()
        var texts = [0: ""]
        for _ in 0..<300 {
            switch Int.random(in: 0..<8, using: &generator) {
            case 0, 1: plain.push(try stage.push().key)
            case 2: plain.present(try stage.present().key)
            case 3, 4:
                stage.navigator.takeOff(.push)
                plain.pop()
            default:
                stage.navigator.takeOff(.present)
                plain.dismiss()
            }
            #expect(stage.root.hosted == plain.rootText)
            texts[stage.root.summary.newest] = plain.rootText
        }
        let newest = stage.root.summary.newest
        #expect(newest > 10)
        for number in 0...newest {
            let attachment = try await stage.root.attached(TestViewer(), since: number)
            #expect(attachment.navigation.text == texts[number])
            #expect(attachment.navigation.isEmpty == (texts[number] == ""))
            stage.root.detach(attachment.view)
        }
        stage.root.end(.closed)
    }
}
