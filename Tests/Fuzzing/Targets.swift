import JSON
import JSONRPC
import LibC
import Transcripts
import Transport
import ViewModelProtocol

// The parsers that a peer's bytes reach first, for libFuzzer. Tests/Fuzzing/run builds and runs them; nothing else does.
//
// None may trap, read beyond its input or loop, and none may depend on how its input is cut into pieces.

/// The parser that is fuzzed: FUZZED_PARSER.
private enum Parser: String {
    case json, frames, http, websocket, link, transcript

    func take(_ bytes: UnsafeRawBufferPointer) {
        switch self {
        case .json: takeJSON(bytes)
        case .frames: takeFrames(bytes)
        case .http: takeHTTP(bytes)
        case .websocket: takeWebSocket(bytes)
        case .link: takeLink(bytes)
        case .transcript: takeTranscript(bytes)
        }
    }
}

private let parser: Parser = {
    guard let parser = getenv("FUZZED_PARSER").flatMap({ Parser(rawValue: String(cString: $0)) }) else {
        fatalError("FUZZED_PARSER is json, frames, http, websocket, link or transcript")
    }
    return parser
}()

/// Called by libFuzzer with each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    parser.take(UnsafeRawBufferPointer(start: start, count: count))
    return 0
}

/// Stops the run: libFuzzer keeps the input.
private func check(_ condition: Bool, _ message: @autoclosure () -> String) {
    if !condition { fatalError(message()) }
}

/// Calls `body` with the input in pieces. The first byte says how long they are.
private func inPieces(_ bytes: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void) {
    let length = Int(bytes.first ?? 0) % 37 + 1
    var start = 0
    while start < bytes.count {
        let end = min(start + length, bytes.count)
        body(UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
        start = end
    }
}

// JSON: the reader, every way to a value, and the decoder.

private struct Sample: Codable, Equatable {
    enum Event: Codable, Equatable {
        case one(Int)
        case two(name: String, flag: Bool?)
        case three
    }

    var event: Event?
    var text: String?
    var number: Double?
    var integers: [Int64]?
    var table: [String: [UInt8]]?
    var inner: [Sample]?
}

private func takeJSON(_ bytes: UnsafeRawBufferPointer) {
    guard let value = try? JSONValue(validating: bytes, maximumDepth: 64) else { return }
    visit(value)
    guard let sample = try? ValueDecoder().decode(Sample.self, from: value, at: .root) else { return }
    // What was read can be written and read again.
    guard let text = try? JSONText(encoding: sample) else { return check(false, "\(sample) can't be written") }
    text.bytes.withUnsafeBytes { bytes in
        let again = (try? JSONValue(validating: bytes)).flatMap {
            try? ValueDecoder().decode(Sample.self, from: $0, at: .root)
        }
        check(again == sample, "\(sample) is written and read as \(String(describing: again))")
    }
}

private func visit(_ value: JSONValue) {
    _ = (value.string(), value.boolean(), value.isIntegerText(), value.isString("kind"))
    _ = (value.integer(as: Int.self), value.integer(as: UInt8.self), value.integer(as: UInt64.self))
    _ = try? ValueDecoder().decode(Double.self, from: value)
    value.forEachMember { key, member in
        _ = key.string()
        visit(member)
    }
    value.forEachElement { visit($0) }
}

// Frames: headers and lines, and the messages in them.

private func takeFrames(_ bytes: UnsafeRawBufferPointer) {
    let limits = FrameDecoder.Limits(messageBytes: 4_096, headerBytes: 256)
    let (whole, pieces) = (FrameNotes(limits), FrameNotes(limits))
    whole.take(bytes)
    inPieces(bytes) { pieces.take($0) }
    check(whole.notes == pieces.notes, "in pieces: \(pieces.notes)\nas a whole: \(whole.notes)")
}

private final class FrameNotes {
    private var decoder: FrameDecoder
    private let messages = MessageDecoder(maximumBatchCount: 16, maximumDepth: 32)
    private(set) var notes: [String] = []

    init(_ limits: FrameDecoder.Limits) {
        decoder = FrameDecoder(limits: limits)
    }

    func take(_ bytes: UnsafeRawBufferPointer) {
        decoder.decode(bytes) { frame in
            switch frame {
            case .detected(let framing): notes.append("\(framing)")
            case .message(let message):
                // Not what it decoded, which borrows the input and prints its address.
                ValueNotes.lend { compare(messages.decode(message, notes: $0), $0) }
                notes.append(String(decoding: message, as: UTF8.self))
            case .unreadable(let error): notes.append("unreadable: \(error.message)")
            case .failure(let error): notes.append("failure: \(error.message)")
            }
            return true
        }
    }

    /// What was noted of the params is what a pass of their own finds.
    private func compare(_ content: MessageDecoder.Content, _ notes: ValueNotes) {
        guard case .message(.request(_, _, let params?)) = content, let noted = notes.parsed(params) else { return }
        let own = params.parse { texts(of: $0) }
        check(texts(of: noted) == own, "noted: \(texts(of: noted))\nin a pass of their own: \(own ?? [])")
    }

    private func texts(of value: ParsedValue) -> [String] {
        var texts = ["\(JSONText(value.value))"]
        value.forEachMember { texts += [$0.string()] + self.texts(of: $1) }
        return texts
    }
}

// HTTP: requests with pipelining.

private func takeHTTP(_ bytes: UnsafeRawBufferPointer) {
    let whole = requests { take in take(bytes) }
    let pieces = requests { take in inPieces(bytes, take) }
    check(whole == pieces, "in pieces: \(pieces)\nas a whole: \(whole)")
}

private func requests(_ feed: ((UnsafeRawBufferPointer) -> Void) -> Void) -> [String] {
    var parser = HTTPRequestParser(maximumBytes: 512)
    var waiting: ArraySlice<UInt8> = []
    var outcomes: [String] = []
    var isOver = false
    feed { piece in
        waiting.append(contentsOf: piece)
        while !isOver {
            let outcome = parser.parse(waiting)
            if case .needsMore(let emptyBytes) = outcome {
                waiting.removeFirst(emptyBytes)
                return
            }
            guard case .request(let request, let count) = outcome, count > 0 else {
                outcomes.append("\(outcome)")
                isOver = true
                return
            }
            // Without its length, which has the empty lines before it where they came in the same piece.
            outcomes.append("\(request)")
            check(count <= waiting.count, "\(count) of \(waiting.count) bytes were used")
            waiting.removeFirst(count)
        }
    }
    return outcomes
}

// WebSocket: a client's frames.

private func takeWebSocket(_ bytes: UnsafeRawBufferPointer) {
    let whole = events { take in take(bytes) }
    let pieces = events { take in inPieces(bytes, take) }
    check(whole == pieces, "in pieces: \(pieces)\nas a whole: \(whole)")
}

private func events(_ feed: ((UnsafeRawBufferPointer) -> Void) -> Void) -> [String] {
    var reader = WebSocketReader(maximumBytes: 4_096)
    var notes: [String] = []
    feed { piece in
        let used = reader.read(piece) { event in
            switch event {
            case .text(let bytes): notes.append("text \(Array(bytes))")
            case .binary(let bytes): notes.append("binary \(Array(bytes))")
            case .ping(let bytes): notes.append("ping \(bytes)")
            case .pong: notes.append("pong")
            case .close(let code): notes.append("close \(String(describing: code))")
            case .failure(let error): notes.append("failure \(error)")
            }
            return true
        }
        check(used == piece.count, "\(used) of \(piece.count) bytes were used")
    }
    return notes
}

// Links: the frames between two servers.

private func takeLink(_ bytes: UnsafeRawBufferPointer) {
    let whole = linkFrames { take in take(bytes) }
    let pieces = linkFrames { take in inPieces(bytes, take) }
    check(whole == pieces, "in pieces: \(pieces)\nas a whole: \(whole)")
    var written: [UInt8] = []
    for frame in whole.frames { frame.encode(into: &written) }
    check(bytes.starts(with: written), "what was read is written as \(written)")
}

private struct LinkNotes: Equatable {
    var frames: [LinkFrame] = []
    var errors: [LinkError] = []
}

private func linkFrames(_ feed: ((UnsafeRawBufferPointer) -> Void) -> Void) -> LinkNotes {
    var reader = LinkFrameReader()
    var notes = LinkNotes()
    feed { piece in
        do throws(LinkError) {
            try reader.read(piece) { (frame) throws(LinkError) in notes.frames.append(frame) }
        } catch {
            notes.errors.append(error)
        }
    }
    return notes
}

// Transcripts: a file's header and its lines.

private func takeTranscript(_ bytes: UnsafeRawBufferPointer) {
    guard let reader = try? TranscriptReader(path: "fuzzed", text: String(decoding: bytes, as: UTF8.self)) else {
        return
    }
    // A line that isn't valid doesn't end the file.
    for _ in 0..<64 {
        do throws(TranscriptError) {
            guard try reader.next() != nil else { return }
        } catch {
            continue
        }
    }
}
