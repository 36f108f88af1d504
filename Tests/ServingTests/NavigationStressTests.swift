import Sessions
import Synchronization
import TestSupport
import Testing
import ViewModels

import Serving

/// Many clients on several threads that navigate at random: what each is told is all that the oracle knows.
@Suite(.inTurn, .timeLimit(.minutes(5))) struct NavigationStressTests {
    /// What the clients of one run tell each other.
    private final class Shared: Sendable {
        let keys = Mutex<[String]>([])
        let names = Atomic<Int>(0)
    }

    private final class WeakScene {
        weak var scene: Scene?

        init(_ scene: Scene?) {
            self.scene = scene
        }
    }

    private func act(_ screen: ScreenClient, _ shared: Shared, _ seed: Int) async throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<25 {
            let name = #"{"name":"\#(shared.names.wrappingAdd(1, ordering: .relaxed).newValue)""#
            let arguments = generator.chance(10) ? name + #","refuses":"no"}"# : name + "}"
            guard let view = screen.views.keys.sorted().randomElement(using: &generator) else {
                screen.open()
                try await screen.read()
                continue
            }
            switch Int.random(in: 0..<100, using: &generator) {
            case 0..<20: screen.event(view, #"{"kind":"push","value":\#(arguments)}"#)
            case 20..<35: screen.event(view, #"{"kind":"present","value":\#(arguments)}"#)
            case 35..<45: screen.event(view, #"{"kind":"pop"}"#)
            case 45..<52: screen.event(view, #"{"kind":"dismiss"}"#)
            case 52..<55: screen.event(view, #"{"kind":"popBetween"}"#)
            case 55..<62: screen.goBack(view)
            case 62..<64:  // Two at once.
                screen.goBack(view)
                screen.goBack(view)
            case 64..<65: screen.leave(view, "session/close")
            case 65..<72:
                try await screen.read()
                if screen.views[view] != nil { screen.leave(view, "session/detach") }
            default:
                let keys = shared.keys.withLock { Array($0.suffix(12)) } + screen.known.suffix(6)
                if let key = keys.randomElement(using: &generator) { screen.attach(key) }
            }
            try await screen.read(untilOpen: 3)
            shared.keys.withLock { all in all += screen.known.suffix(4).filter { !all.suffix(50).contains($0) } }
        }
        try await screen.read()
    }

    /// Nothing moves any more: what the watcher sees of everything is what everybody sees, and what the server has.
    private func compare(_ server: TestServer, _ screens: [ScreenClient], _ roots: [String]) async throws {
        var mismatch = "nothing was compared"
        for _ in 0..<1_000 where !mismatch.isEmpty {
            for screen in screens {
                screen.ping()
                try await screen.read()
            }
            let watcher = ScreenClient(try await server.connected(loop: 1))
            var pictures: [String: ScreenClient.Picture] = [:]
            var next = roots
            while let key = next.popLast() {
                watcher.attach(key)
                try await watcher.read()
                guard let view = watcher.views.first(where: { $0.value.key == key }) else { continue }
                pictures[key] = view.value.picture
                next += view.value.picture.keys
            }
            await cut(watcher)
            mismatch = difference(server, screens, pictures)
        }
        #expect(mismatch == "")
    }

    /// What it didn't read is lost.
    private func cut(_ screen: ScreenClient) async {
        screen.client.cut()
        while (try? await screen.client.next()) != nil {}
    }

    private func difference(
        _ server: TestServer, _ screens: [ScreenClient], _ pictures: [String: ScreenClient.Picture]
    ) -> String {
        for (index, screen) in screens.enumerated() {
            for view in screen.views.values where pictures[view.key] != view.picture {
                let own = "\(view.picture.stack) \(view.picture.presented ?? "-")"
                return "client \(index) has \(view.key) as \(own), not as \(String(describing: pictures[view.key]))"
            }
        }
        for number in 1...lastKey(server) where server.session(withKey: "key-\(number)") != nil {
            if pictures["key-\(number)"] == nil { return "key-\(number) is hosted, and on no screen" }
        }
        for key in pictures.keys where server.session(withKey: key) == nil { return "\(key) is shown, and gone" }
        return ""
    }

    /// Keys are counted; more than this test makes.
    private func lastKey(_ server: TestServer) -> Int { 4_000 }

    @Test(arguments: [1, 2, 3])
    func `clients see the screens that there are, and at last nothing is left`(seed: Int) async throws {
        let released = Recorder<String>()
        try await withServer(
            loops: 3,
            register: { registry in
                ScreenViewModel.register(in: &registry)
                registry.container.register(Recorder<String>.self) { _ in released }
            }
        ) { server in
            let shared = Shared()
            var scenes: [WeakScene] = []
            var screens: [ScreenClient] = []
            for loop in [0, 1, 2, 0] { screens.append(ScreenClient(try await server.connected(loop: loop))) }
            for round in 0..<8 {
                try await withThrowingTaskGroup { group in
                    for (index, screen) in screens.enumerated() {
                        let box = Sending(screen)
                        group.addTask { try await act(box.value, shared, seed * 1_000 + round * 10 + index) }
                    }
                    if round % 3 == 2 {
                        // Whatever nobody watches expires in the middle.
                        group.addTask { server.clock.advance(by: Limits().resumeWindow) }
                    }
                    try await group.waitForAll()
                }
                let roots = screens.flatMap(\.known).filter { key in
                    server.session(withKey: key).map { !$0.isChild } ?? false
                }
                scenes += roots.map { WeakScene(server.session(withKey: $0)?.scene) }
                try await compare(server, screens, Array(Set(roots)))
            }
            let messages = screens.reduce(0) { $0 + $1.messageCount }
            #expect(messages > 500)
            #expect(shared.names.load(ordering: .relaxed) > 500)
            for screen in screens {
                await cut(screen)
            }
            await until {
                server.clock.advance(by: Limits().resumeWindow)
                return (1...lastKey(server)).allSatisfy { server.session(withKey: "key-\($0)") == nil }
            }
            await until { scenes.allSatisfy { $0.scene == nil } }
            #expect(!scenes.isEmpty)
            await until { server.clock.sleeperCount == 0 }
            #expect(Set(released.elements).count > 50)
        }
    }

    @Test(arguments: [4, 5, 6]) func `a server that ends in the middle keeps nothing`(seed: Int) async throws {
        try await withServer(loops: 3, register: { ScreenViewModel.register(in: &$0) }) { server in
            let shared = Shared()
            var screens: [ScreenClient] = []
            for loop in [0, 1, 2, 0] {
                screens.append(ScreenClient(try await server.connected(loop: loop), serverEnds: true))
            }
            try await withThrowingTaskGroup { group in
                for (index, screen) in screens.enumerated() {
                    let box = Sending(screen)
                    group.addTask {
                        do {
                            for round in 0..<100 { try await act(box.value, shared, seed * 1_000 + round * 10 + index) }
                        } catch is TestClient.Ended {}
                    }
                }
                await until { shared.names.load(ordering: .relaxed) > 50 * seed }
                let scenes = shared.keys.withLock { $0 }.map { WeakScene(server.session(withKey: $0)?.scene) }
                #expect(scenes.contains { $0.scene != nil })
                await server.core.drain()
                try await group.waitForAll()
                #expect((1...lastKey(server)).allSatisfy { server.session(withKey: "key-\($0)") == nil })
                await until { scenes.allSatisfy { $0.scene == nil } }
            }
        }
    }

    /// Proof: each round gives a client to one task, and waits for that task before anybody else touches the client.
    private struct Sending: @unchecked Sendable {
        let value: ScreenClient

        init(_ value: ScreenClient) {
            self.value = value
        }
    }
}
