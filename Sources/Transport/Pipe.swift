import LibC

/// A pipe that no other program inherits; its ends don't block.
struct Pipe: ~Copyable {
    let reading: Descriptor
    let writing: Descriptor

    init() throws(SystemError) {
        var ends: [Int32] = [-1, -1]
        guard clinux_pipe(&ends) == 0 else { throw SystemError.last("pipe") }
        reading = Descriptor(owning: ends[0])
        writing = Descriptor(owning: ends[1])
    }
}
