/// Memory that all connections are read into, one after another, with the room in front that `FrameCounter` wants.
package final class ReadBuffer {
    package static let size = 1 << 20
    private let memory = UnsafeMutableRawPointer.allocate(byteCount: FrameCounter.headroom + size, alignment: 64)

    package init() {}

    deinit {
        memory.deallocate()
    }

    package var address: UnsafeMutableRawPointer { memory + FrameCounter.headroom }
}
