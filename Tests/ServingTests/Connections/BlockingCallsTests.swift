import Sessions
import Synchronization
import TestSupport
import Testing
import Transport
import ViewModels

/// Whatever of a view model's code blocks its thread, other clients of the same loop aren't held up, and it is named.
@Suite(.inTurn) struct BlockingCallsTests {
    enum Place: String, CaseIterable, Codable, Sendable {
        case arguments, start, event, schedule, handler, description, snapshot, eventEncoder, back, property, childTask
        case error, backError
    }

    /// Where one call blocks until the test ends.
    private final class Block: Sendable {
        private static let blocks = Mutex<[Place: Block]>([:])
        let begun = Gate()
        let end = Semaphore()

        static func at(_ place: Place) -> Block {
            blocks.withLock { blocks in
                let block = blocks[place] ?? Block()
                blocks[place] = block
                return block
            }
        }

        func stand() {
            begun.open()
            end.wait()
        }
    }

    /// Blocks the thread on which it is encoded.
    private struct SlowValue: Codable, Sendable {
        var place: Place?

        func encode(to encoder: any Encoder) throws {
            if let place { Block.at(place).stand() }
            var container = encoder.singleValueContainer()
            try container.encode("slow")
        }
    }

    /// Blocks the thread on which it says what it is.
    private struct SlowError: Error, CustomStringConvertible {
        let place: Place

        var description: String {
            Block.at(place).stand()
            return "an error"
        }
    }

    private struct Arguments: Codable, Sendable {
        var at: Place?

        init(at: Place?) { self.at = at }

        init(from decoder: any Decoder) throws {
            at = try decoder.container(keyedBy: CodingKeys.self).decodeIfPresent(Place.self, forKey: .at)
            if at == .arguments { Block.at(.arguments).stand() }
        }
    }

    /// Blocks the thread on which it is decoded.
    private struct SlowArgument: Codable, Sendable {
        init(from decoder: any Decoder) throws { Block.at(.event).stand() }
    }

    /// Says what it is for as long as the test takes.
    private enum Event: Codable, Sendable, CustomStringConvertible, CustomReflectable {
        case go, describe
        case read(SlowArgument)

        var description: String {
            if case .describe = self { Block.at(.description).stand() }
            return "an event"
        }

        var customMirror: Mirror {
            if case .describe = self { Block.at(.description).stand() }
            return Mirror(self, children: [:])
        }
    }

    private final class Blocker: ViewModel, PerRequest, BackHandling {
        typealias ViewEvent = Event
        enum ViewModelEvent: Codable, Sendable { case value(SlowValue) }

        let output = Output<ViewModelEvent>()
        /// Of a handler that holds its thread while its event is named in the log.
        static let handlerEnd = Semaphore()
        private let place: Place?
        private let navigation: NavigationService

        init(container: Container, arguments: Arguments) throws {
            place = arguments.at
            navigation = try container.resolve()
        }

        private func block(at place: Place) {
            if self.place == place { Block.at(place).stand() }
        }

        func start() throws {
            block(at: .start)
            // Something to be in a snapshot.
            output.send(.value(SlowValue()))
        }

        func handle(event: ViewEvent) async throws {
            block(at: .handler)
            if case .describe = event { Self.handlerEnd.wait() }
            switch place {
            case .eventEncoder: output.send(.value(SlowValue(place: .eventEncoder)))
            case .back, .backError: try navigation.push(Self.self, arguments: Arguments(at: place))
            case .error: throw SlowError(place: .error)
            case .childTask:
                async let done: Void = Block.at(.childTask).stand()
                await done
            default: break
            }
        }

        func snapshot() -> [ViewModelEvent] {
            block(at: .snapshot)
            return [.value(SlowValue())]
        }

        func willGoBack() throws {
            block(at: .back)
            if place == .backError { throw SlowError(place: .backError) }
        }
    }

    private final class Timetable: ViewModel {
        enum ViewEvent: Codable, ScheduledEvent {
            case go

            var schedule: EventSchedule {
                Block.at(.schedule).stand()
                return .independent
            }
        }

        enum ViewModelEvent: Codable, Sendable { case done }

        let output = Output<ViewModelEvent>()
        func handle(event: ViewEvent) {}
    }

    private final class Properties: ObservableViewModel {
        enum ViewEvent: Codable, Sendable { case go }
        let value = Dynamic(SlowValue())
        func handle(event: ViewEvent) { value.value = SlowValue(place: .property) }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Place.allCases)
    func `a call that blocks its thread holds up no other client, and is named in the log`(_ place: Place) async throws
    {
        let block = Block.at(place)
        try await withServer(hasPool: true) { registry in
            registry.addChild("blocker", Blocker.self, canBeOpened: true)
            registry.add("properties") { Properties() }
            registry.add("timetable") { Timetable() }
        } _: { server in
            let (first, second) = (try await server.connected(), try await server.connected())
            defer {
                block.end.post()
                if place == .description { Blocker.handlerEnd.post() }
            }
            let name = place == .property ? "properties" : place == .schedule ? "timetable" : "blocker"
            let isBlocker = name == "blocker"
            first.send(isBlocker ? Wire.open("1", name, #"{"at":"\#(place.rawValue)"}"#) : Wire.open("1", name))
            let event = [.description: #"{"kind":"describe"}"#, .event: #"{"kind":"read","value":1}"#][place]
            first.send(Wire.viewEvent("2", 1, event ?? #"{"kind":"go"}"#))
            switch place {
            case .snapshot: first.send(Wire.request("3", "session/attach", #"{"key":"key-1"}"#))
            case .back, .backError:
                while try await !first.next().contains(#""key":"key-2""#) {}
                first.send(Wire.request("3", "session/attach", #"{"key":"key-2"}"#))
                var told = ""
                while !told.contains(#""id":3"#) { told = try await first.next() }
                try #require(told.contains(#""session":2"#), "\(told)")
                first.send(Wire.request("4", "navigation/back", #"{"session":2}"#))
            default: break
            }
            // What an event says of itself isn't asked: its name is what the client has called it.
            if place != .description { await until { block.begun.isOpen } }
            for id in 1...3 {
                second.send(Wire.request("\(id)", "ping"))
                try await second.expect(Wire.result("\(id)"))
            }
            second.send(Wire.open("4", "counter"))
            #expect(try await second.next().contains(#""id":4,"result""#))
            // A task that the handler awaits has no loop's thread to hold.
            if place != .childTask {
                await until {
                    server.log.elements.contains { $0.contains(name) && $0.contains(" held its thread for ") }
                }
            }
            if place == .description {
                #expect(server.log.elements.contains { $0.contains("blocker.describe has held its thread for ") })
                #expect(!block.begun.isOpen)
            }
        }
    }
}
