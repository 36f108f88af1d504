import TestSupport

extension [UInt8] {
    /// Cut into pieces of random length.
    func pieces(using generator: inout SeededGenerator) -> [[UInt8]] {
        var pieces: [[UInt8]] = []
        var rest = self[...]
        while !rest.isEmpty {
            let piece = rest.prefix(Int.random(in: 1...Swift.max(1, rest.count / 2), using: &generator))
            pieces.append(Array(piece))
            rest = rest.dropFirst(piece.count)
        }
        return pieces
    }

    /// With a few bytes changed, taken out, put in or repeated.
    func mutated(using generator: inout SeededGenerator) -> [UInt8] {
        var bytes = self
        for _ in 0..<Int.random(in: 1...4, using: &generator) where !bytes.isEmpty {
            let place = Int.random(in: 0..<bytes.count, using: &generator)
            let byte = UInt8.random(in: .min ... .max, using: &generator)
            switch Int.random(in: 0..<4, using: &generator) {
            case 0: bytes[place] = byte
            case 1: bytes.remove(at: place)
            case 2: bytes.insert(byte, at: place)
            default: bytes.insert(contentsOf: bytes[place...].prefix(8), at: place)
            }
        }
        return bytes
    }
}
