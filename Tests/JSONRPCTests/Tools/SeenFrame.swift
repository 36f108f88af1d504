import JSONRPC

/// A frame with bytes of its own.
enum SeenFrame: Equatable, CustomStringConvertible {
    case detected(Framing)
    case message([UInt8])
    case unreadable(RPCError)
    case failure(RPCError)

    init(_ frame: Frame) {
        self =
            switch frame {
            case .detected(let framing): .detected(framing)
            case .message(let bytes): .message(Array(bytes))
            case .unreadable(let error): .unreadable(error)
            case .failure(let error): .failure(error)
            }
    }

    static func text(_ text: String) -> SeenFrame { .message(Array(text.utf8)) }

    var isFailure: Bool {
        if case .failure = self { true } else { false }
    }

    var failureCode: ErrorCode? {
        if case .failure(let error) = self { error.code } else { nil }
    }

    var description: String {
        switch self {
        case .detected(let framing): "detected \(framing)"
        case .message(let bytes): "message \(String(decoding: bytes, as: UTF8.self).debugDescription)"
        case .unreadable(let error): "unreadable \(error.message)"
        case .failure(let error): "failure \(error.code.words): \(error.message)"
        }
    }
}

/// The frames in `pieces`, fed one after the other.
func frames(
    _ pieces: [[UInt8]], limits: FrameDecoder.Limits = .init(), finishing isFinished: Bool = true
) -> [SeenFrame] {
    var decoder = FrameDecoder(limits: limits, dialect: .test)
    var seen: [SeenFrame] = []
    for piece in pieces {
        piece.withUnsafeBytes { bytes in
            decoder.decode(bytes) {
                seen.append(SeenFrame($0))
                return true
            }
        }
    }
    if isFinished { decoder.finish { seen.append(SeenFrame($0)) } }
    return seen
}

func frames(
    _ text: String, limits: FrameDecoder.Limits = .init(), finishing isFinished: Bool = true
) -> [SeenFrame] {
    frames([Array(text.utf8)], limits: limits, finishing: isFinished)
}
