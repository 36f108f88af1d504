/// Why a connection is closed (RFC 6455, section 7.4).
package struct WebSocketCloseCode: Sendable, Equatable {
    package let number: UInt16

    package init(_ number: UInt16) {
        self.number = number
    }

    package static let normal = Self(1000)
    package static let goingAway = Self(1001)
    package static let protocolError = Self(1002)
    package static let unsupportedData = Self(1003)
    package static let invalidData = Self(1007)
    package static let policyViolation = Self(1008)
    package static let tooBig = Self(1009)

    /// Whether it may stand in a frame: 1004 to 1006 and 1015 only stand for something, 1016 to 2999 are reserved.
    var mayBeSent: Bool {
        switch number {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }
}
