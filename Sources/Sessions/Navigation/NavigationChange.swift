/// Something that came onto the screen or left it, told in its host's numbered stream.
package struct NavigationChange: Sendable, Equatable {
    /// The words of the protocol.
    package enum Kind: Sendable, CaseIterable {
        case push
        case present
        case pop
        case dismiss
    }

    package let kind: Kind
    package let child: NavigationChild

    package init(_ kind: Kind, _ child: NavigationChild) {
        self.kind = kind
        self.child = child
    }
}
