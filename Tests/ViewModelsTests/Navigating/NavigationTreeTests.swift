import TestSupport
import Testing
import ViewModels

@Suite(.inTurn) struct NavigationTreeTests {
    typealias Removal = NavigationTree<String>.Removal

    enum Step: Sendable {
        case push(String, host: String?)
        case present(String, host: String?)
        /// Screen, its host and its transition, in the order in which they are taken off.
        case remove(String, takes: [Removal] = [])
        /// The screens that are on top, and that a pop and a dismiss would take off.
        case expect(top: String?, popped: String?, dismissed: String?)
        case stack(on: String, [String])
        case presented(over: String, String?)
        case above(String, [String])
        case count(Int)
    }

    @Test(
        arguments: [
            (
                "a root alone",
                [
                    .expect(top: "root", popped: nil, dismissed: nil), .stack(on: "root", []),
                    .presented(over: "root", nil), .count(1),
                ]
            ),
            (
                "pushed screens are hosted by the root of their stack",
                [
                    .push("a", host: "root"), .push("b", host: "root"),
                    .expect(top: "b", popped: "b", dismissed: nil), .stack(on: "root", ["a", "b"]), .stack(on: "a", []),
                ]
            ),
            (
                "a presented screen is hosted by what it covers",
                [
                    .push("a", host: "root"), .present("p", host: "a"),
                    .expect(top: "p", popped: nil, dismissed: "p"), .presented(over: "a", "p"),
                    .presented(over: "root", nil), .stack(on: "root", ["a"]),
                ]
            ),
            (
                "a presented screen is the root of a stack of its own",
                [
                    .push("a", host: "root"), .present("p", host: "a"), .push("b", host: "p"), .push("c", host: "p"),
                    .expect(top: "c", popped: "c", dismissed: "p"), .stack(on: "root", ["a"]),
                    .stack(on: "p", ["b", "c"]),
                    .present("q", host: "c"), .expect(top: "q", popped: nil, dismissed: "q"),
                    .presented(over: "c", "q"),
                    .above("a", ["q", "c", "b", "p"]), .count(6),
                ]
            ),
            (
                "popping takes the last off and leaves the rest",
                [
                    .push("a", host: "root"), .push("b", host: "root"),
                    .remove("b", takes: [Removal(screen: "b", host: "root", transition: .push)]),
                    .expect(top: "a", popped: "a", dismissed: nil), .push("b", host: "root"),
                ]
            ),
            (
                "dismissing takes the whole stack",
                [
                    .push("a", host: "root"), .present("p", host: "a"), .push("b", host: "p"),
                    .remove(
                        "p",
                        takes: [
                            Removal(screen: "b", host: "p", transition: .push),
                            Removal(screen: "p", host: "a", transition: .present),
                        ]),
                    .expect(top: "a", popped: "a", dismissed: nil), .presented(over: "a", nil),
                ]
            ),
            (
                "what is taken off in the middle takes all above with it",
                [
                    .push("a", host: "root"), .push("b", host: "root"), .present("p", host: "b"),
                    .remove(
                        "a",
                        takes: [
                            Removal(screen: "p", host: "b", transition: .present),
                            Removal(screen: "b", host: "root", transition: .push),
                            Removal(screen: "a", host: "root", transition: .push),
                        ]),
                    .expect(top: "root", popped: nil, dismissed: nil), .count(1),
                ]
            ),
            (
                "the root goes last and has no host, and then nothing can be shown",
                [
                    .present("p", host: "root"),
                    .remove(
                        "root",
                        takes: [
                            Removal(screen: "p", host: "root", transition: .present),
                            Removal(screen: "root", host: nil, transition: nil),
                        ]),
                    .expect(top: nil, popped: nil, dismissed: nil), .count(0), .push("a", host: nil),
                    .present("a", host: nil), .remove("root"), .count(0),
                ]
            ),
            (
                "a screen stands there once, and an unknown one can't be taken off",
                [
                    .push("a", host: "root"), .push("root", host: nil), .present("a", host: nil), .remove("x"),
                    .above("x", []), .stack(on: "x", []), .presented(over: "x", nil), .count(2),
                ]
            ),
        ] as [(String, [Step])])
    func `the rules hold`(of name: String, steps: [Step]) {
        var tree = NavigationTree(root: "root")
        for step in steps {
            switch step {
            case .push(let screen, let host):
                #expect(tree.push(screen) == host, "\(step)")
                #expect(host == nil || tree.host(of: screen) == host, "\(step)")
            case .present(let screen, let host):
                #expect(tree.present(screen) == host, "\(step)")
                #expect(host == nil || tree.host(of: screen) == host, "\(step)")
            case .remove(let screen, let removals):
                #expect(tree.remove(screen) == removals, "\(step)")
                #expect(!tree.contains(screen))
            case .expect(let top, let popped, let dismissed):
                #expect([tree.top, tree.popped, tree.dismissed] == [top, popped, dismissed], "\(step)")
            case .stack(let host, let screens): #expect(tree.stack(on: host) == screens, "\(step)")
            case .presented(let host, let screen): #expect(tree.presented(over: host) == screen, "\(step)")
            case .above(let screen, let screens): #expect(tree.screens(above: screen) == screens, "\(step)")
            case .count(let count): #expect(tree.count == count, "\(step)")
            }
        }
    }

    @Test(arguments: 0..<20)
    func `it agrees with windows that know what they present and hold`(seed: Int) {
        var random = SeededGenerator(seed: seed)
        var tree = NavigationTree(root: 0)
        let window = ModelWindow(0)
        for screen in 1...100 {
            let topmost = window.topmostStack
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<4:
                #expect(tree.push(screen) == topmost.screen)
                topmost.pushed.append(ModelWindow(screen))
            case 4..<7:
                #expect(tree.present(screen) == window.topmost.screen)
                window.topmost.presented = ModelWindow(screen)
            case 7:
                #expect(tree.popped == topmost.pushed.last?.screen)
                if let popped = tree.popped { #expect(tree.remove(popped).map(\.screen) == window.takeOff(popped)) }
            case 8:
                #expect(tree.dismissed == (topmost === window ? nil : topmost.screen))
                if let dismissed = tree.dismissed {
                    #expect(tree.remove(dismissed).map(\.screen) == window.takeOff(dismissed))
                }
            default:
                let any = Int.random(in: 1...screen, using: &random)
                #expect(tree.screens(above: any) == Array(window.all(above: any).reversed()))
                #expect(tree.remove(any).map(\.screen) == window.takeOff(any))
            }
            expectSame(tree, window)
        }
        #expect(tree.remove(0).map(\.screen) == window.all.map(\.screen).reversed())
    }

    private func expectSame(_ tree: NavigationTree<Int>, _ window: ModelWindow) {
        #expect(tree.top == window.topmost.screen)
        #expect(tree.count == window.all.count)
        for node in window.all {
            #expect(tree.contains(node.screen))
            #expect(tree.stack(on: node.screen) == node.pushed.map(\.screen))
            #expect(tree.presented(over: node.screen) == node.presented?.screen)
            for child in node.pushed + [node.presented].compactMap({ $0 }) {
                #expect(tree.host(of: child.screen) == node.screen)
            }
        }
    }
}
