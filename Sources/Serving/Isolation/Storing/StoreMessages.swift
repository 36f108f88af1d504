import Sessions

/// A request of a process to its server's store. The process chooses the numbers, which come back in the answers.
enum StoreRequest: StoreMessagePart {
    /// - Parameters:
    ///   - life: the `SceneLife.number`.
    ///   - scene: the root's key.
    case commit(number: Int, life: Int, scene: String, changes: [StoredChange])
    case release(life: Int, scene: String)
    case load(number: Int, query: StoreQuery)
    /// The process gives all its scenes up.
    case leave
    case list(number: Int, filter: SceneFilter)

    init(from reader: inout StoreMessageReader) throws(StoreMessageReader.Malformed) {
        switch try reader.int() {
        case 0:
            self = .commit(
                number: try reader.int(), life: try reader.int(), scene: try reader.string(),
                changes: try reader.parts())
        case 1: self = .release(life: try reader.int(), scene: try reader.string())
        case 2: self = .load(number: try reader.int(), query: try reader.part())
        case 3: self = .leave
        case 4: self = .list(number: try reader.int(), filter: try reader.part())
        default: throw StoreMessageReader.Malformed()
        }
    }

    func write(to writer: inout StoreMessageWriter) {
        switch self {
        case .commit(let number, let life, let scene, let changes):
            writer.append(0)
            writer.append(number)
            writer.append(life)
            writer.append(scene)
            writer.append(changes)
        case .release(let life, let scene):
            writer.append(1)
            writer.append(life)
            writer.append(scene)
        case .load(let number, let query):
            writer.append(2)
            writer.append(number)
            writer.append(query)
        case .leave: writer.append(3)
        case .list(let number, let filter):
            writer.append(4)
            writer.append(number)
            writer.append(filter)
        }
    }
}

/// An answer of a server to a process about the store, or news of it.
enum StoreAnswer: StoreMessagePart {
    case stored(number: Int, StoreOutcome)
    case loaded(number: Int, Result<StoredScene?, StoreError>)
    /// Why nothing can be stored from now on; nil where the store works.
    case failure(StoreError?)
    /// The store may lack something of the scenes in the process (`SessionJournal.whenLapsed`).
    case lapsed
    /// Another process asks for a scene that this one has. The process gives the scene up where no view is attached to it.
    case wanted(scene: String)
    case listed(number: Int, Result<[ListedScene], StoreError>)

    init(from reader: inout StoreMessageReader) throws(StoreMessageReader.Malformed) {
        switch try reader.int() {
        case 0: self = .stored(number: try reader.int(), try reader.part())
        case 1:
            let number = try reader.int()
            if try reader.bool() {
                let scene = try reader.optional { reader throws(StoreMessageReader.Malformed) in
                    try reader.part(StoredScene.self)
                }
                self = .loaded(number: number, .success(scene))
            } else {
                self = .loaded(number: number, .failure(try reader.part()))
            }
        case 2:
            self = .failure(
                try reader.optional { reader throws(StoreMessageReader.Malformed) in
                    try reader.part(StoreError.self)
                })
        case 3: self = .lapsed
        case 4: self = .wanted(scene: try reader.string())
        case 5:
            let number = try reader.int()
            self = .listed(
                number: number, try reader.bool() ? .success(try reader.parts()) : .failure(try reader.part()))
        default: throw StoreMessageReader.Malformed()
        }
    }

    func write(to writer: inout StoreMessageWriter) {
        switch self {
        case .stored(let number, let outcome):
            writer.append(0)
            writer.append(number)
            writer.append(outcome)
        case .loaded(let number, let result):
            writer.append(1)
            writer.append(number)
            switch result {
            case .success(let scene):
                writer.append(true)
                writer.append(scene) { $0.append($1) }
            case .failure(let error):
                writer.append(false)
                writer.append(error)
            }
        case .failure(let error):
            writer.append(2)
            writer.append(error) { $0.append($1) }
        case .lapsed: writer.append(3)
        case .wanted(let scene):
            writer.append(4)
            writer.append(scene)
        case .listed(let number, let result):
            writer.append(5)
            writer.append(number)
            switch result {
            case .success(let scenes):
                writer.append(true)
                writer.append(scenes)
            case .failure(let error):
                writer.append(false)
                writer.append(error)
            }
        }
    }
}

extension StoreMessagePart {
    /// The bytes of a message with this one part.
    var message: [UInt8] {
        var writer = StoreMessageWriter()
        write(to: &writer)
        return writer.bytes
    }

    /// Reads a message with one part.
    ///
    /// - Parameter message: the whole message.
    init(message: UnsafeRawBufferPointer) throws(StoreMessageReader.Malformed) {
        var reader = StoreMessageReader(message)
        self = try Self(from: &reader)
        guard reader.isAtEnd else { throw StoreMessageReader.Malformed() }
    }
}

/// The facts about a store that the server sends when it opens the channel.
struct StoreChannelHello {
    private static let marker = Array("store ".utf8)

    let leaseTime: Duration

    init(leaseTime: Duration) {
        self.leaseTime = leaseTime
    }

    /// Reads a channel's payload; nil where the channel is for a client.
    init?(_ payload: [UInt8]) {
        guard payload.starts(with: Self.marker),
            let text = String(validating: payload.dropFirst(Self.marker.count), as: UTF8.self),
            let milliseconds = Int(text)
        else { return nil }
        leaseTime = .milliseconds(milliseconds)
    }

    var payload: [UInt8] { Self.marker + Array("\(Int(leaseTime / .milliseconds(1)))".utf8) }
}
