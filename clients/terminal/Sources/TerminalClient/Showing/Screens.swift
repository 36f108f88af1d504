package import Contracts

/// The views of this client, how they are stacked, and which one is on screen: rules that need no server.
package struct Screens {
    /// The place of a screen in relation to others.
    package enum Place: Equatable {
        /// Opened or attached by the person.
        case root
        /// Pushed onto the stack of the host, which is at the bottom.
        case pushed(host: Int)
        /// Presented over the host.
        case presented(host: Int)
    }

    /// A view of this client.
    package struct Screen {
        /// The number by which people choose the screen. This client's screens are counted from 1.
        package let number: Int
        package let viewModel: String
        let key: String
        let place: Place
        /// The newest event of each kind, in the order in which the kinds first came.
        package fileprivate(set) var newest: [(kind: String, event: JSONTree)] = []
    }

    package private(set) var all: [Screen] = []
    package private(set) var current: Int?
    private var lastNumber = 0

    package init() {}

    package subscript(number: Int) -> Screen? { all.first { $0.number == number } }

    package var onScreen: Screen? { current.flatMap { self[$0] } }

    func screen(withKey key: String) -> Screen? { all.first { $0.key == key } }

    /// Adds a screen and returns its number. The screen comes to the front, unless it belongs to another root than the one that
    /// the person sees.
    package mutating func add(_ viewModel: String, key: String, _ place: Place) -> Int {
        lastNumber += 1
        let host: Int? =
            switch place {
            case .root: nil
            case .pushed(let host), .presented(let host): host
            }
        let isInFront = host.map { root(of: $0) } == current.map { root(of: $0) }
        all.append(Screen(number: lastNumber, viewModel: viewModel, key: key, place: place))
        if host == nil || isInFront { current = lastNumber }
        return lastNumber
    }

    /// Removes a screen, with all that is shown on it or over it. The screen below comes to the front.
    package mutating func remove(_ number: Int) {
        guard self[number] != nil else { return }
        let root = root(of: number)
        let wasInFront = current.map { self.root(of: $0) } == root
        let gone = withAllAbove(number)
        all.removeAll { gone.contains($0.number) }
        guard wasInFront else { return }
        current = self[root] != nil ? top(of: root) : all.last { $0.place == .root }.map { top(of: $0.number) }
    }

    /// Puts no screen to the front.
    package mutating func leaveFront() {
        current = nil
    }

    package mutating func use(_ number: Int) {
        if self[number] != nil { current = number }
    }

    package mutating func note(_ event: JSONTree, kind: String, of number: Int) {
        guard let index = all.firstIndex(where: { $0.number == number }) else { return }
        if let place = all[index].newest.firstIndex(where: { $0.kind == kind }) {
            all[index].newest[place].event = event
        } else {
            all[index].newest.append((kind, event))
        }
    }

    /// Forgets the events of a screen, since a snapshot replaces them.
    package mutating func forget(_ number: Int) {
        guard let index = all.firstIndex(where: { $0.number == number }) else { return }
        all[index].newest = []
    }

    /// Returns the screens that were pushed onto a root or a presented screen, bottom first.
    func stack(on host: Int) -> [Screen] { all.filter { $0.place == .pushed(host: host) } }

    func presented(over host: Int) -> Screen? { all.last { $0.place == .presented(host: host) } }

    /// Returns the screen that the user sees, of all that belong to a root.
    func top(of number: Int) -> Int {
        var top = number
        while let next = stack(on: top).last ?? presented(over: top) { top = next.number }
        return top
    }

    /// Returns the path to a screen, such as `orders › orderDetails » confirmCancel`: "›" comes before pushed screens, "»"
    /// before presented ones.
    package func path(of number: Int) -> String {
        guard let screen = self[number] else { return "" }
        switch screen.place {
        case .root: return screen.viewModel
        case .presented(let host): return "\(path(of: host)) » \(screen.viewModel)"
        case .pushed(let host):
            let below = stack(on: host).prefix { $0.number != number }.last
            return "\(path(of: below?.number ?? host)) › \(screen.viewModel)"
        }
    }

    package func root(of number: Int) -> Int {
        switch self[number]?.place {
        case .pushed(let host), .presented(let host): root(of: host)
        default: number
        }
    }

    /// Returns the screens that end with this one, itself included.
    private func withAllAbove(_ number: Int) -> [Int] {
        var result = [number]
        var next = 0
        while next < result.count {
            let new = all.filter { isAbove($0, result[next]) && !result.contains($0.number) }
            result += new.map(\.number)
            next += 1
        }
        return result
    }

    private func isAbove(_ screen: Screen, _ number: Int) -> Bool {
        switch screen.place {
        case .root: false
        case .presented(let host): host == number
        case .pushed(let host):
            host == number || (self[number]?.place == .pushed(host: host) && screen.number > number)
        }
    }
}
