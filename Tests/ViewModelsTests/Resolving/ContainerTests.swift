import TestSupport
import Testing
import ViewModels

/// The lifetimes of containers and of the objects that they keep: none outlives its owner.
@Suite(.inTurn) struct ContainerTests {
    @Test func `a container goes with its owner, and what it keeps goes with it`() throws {
        weak var committer: Keeper?
        weak var words: Words?
        do {
            let container = Container()
            container.register(Words.self) { Words($0) }
            committer = try container.resolve(Keeper.self)
            words = try container.resolve(Words.self)
            #expect(committer != nil && words != nil)
            withExtendedLifetime(container) {}
        }
        #expect(committer == nil)
        #expect(words == nil)
    }

    @Test func `a session's container goes alone, and the process's goes with the last of both`() throws {
        weak var process: Keeper?
        weak var session: SessionKeeper?
        do {
            let inner: Container
            do {
                let outer = Container()
                process = try outer.resolve()
                inner = Container(in: outer)
                do {
                    let other = Container(in: outer)
                    session = try other.resolve()
                    #expect(session != nil)
                    withExtendedLifetime(other) {}
                }
                #expect(session == nil)
            }
            #expect(process != nil)
            #expect(try inner.resolve(Keeper.self) === process)
        }
        #expect(process == nil)
    }

    @Test func `a view model may keep the container that it was made with, and both go together`() throws {
        weak var committer: Keeper?
        weak var model: Model?
        do {
            let kept: Model = try Container().resolve()
            model = kept
            committer = try kept.container.resolve()
            #expect(try kept.container.resolve(Model.self) !== kept)
            #expect(committer != nil)
        }
        #expect(model == nil)
        #expect(committer == nil)
    }

    @Test func `a container that a singleton kept is of no use once it is gone`() throws {
        let committer = try Container().resolve(Keeper.self)
        #expect(throws: ContainerError.ended) { try committer.container.resolve(Keeper.self) }
        #expect(throws: ContainerError.ended) { try committer.container.resolve(Model.self) }
        #expect(throws: ContainerError.ended) { try committer.container.resolve(Words.self) }
        #expect(throws: ContainerError.ended) { try committer.inner.resolve(Words.self) }
        #expect(throws: ContainerError.ended) { try committer.inner.resolve(Keeper.self) }
        committer.container.register(Words.self) { Words($0) }
    }

    @Test func `an object that a singleton made keeps no container alive either`() throws {
        weak var maker: Maker?
        do {
            let container = Container()
            container.register(Maker.self) { Maker(model: try $0.resolve()) }
            maker = try container.resolve()
            #expect(maker != nil)
            withExtendedLifetime(container) {}
        }
        #expect(maker == nil)
    }

    @Test func `a replaced object is let go of at once and may ask the container while it goes`() throws {
        let container = Container()
        weak var first: Words?
        let answers = Recorder<Bool>()
        container.register(Words.self) { Words($0, onEnd: { answers.record((try? $0.resolve(Keeper.self)) != nil) }) }
        first = try container.resolve(Words.self)
        #expect(first != nil)
        container.register(Words.self) { Words($0) }
        #expect(first == nil)
        #expect(answers.elements == [true])
    }

    @Test func `an object that goes with its container is told that this has ended`() throws {
        let answers = Recorder<ContainerError>()
        do {
            let container = Container()
            container.register(Words.self) {
                Words($0) { container in
                    do throws(any Error) {
                        _ = try container.resolve(Keeper.self)
                    } catch let error as ContainerError {
                        answers.record(error)
                    } catch {}
                }
            }
            _ = try container.resolve(Words.self)
            withExtendedLifetime(container) {}
        }
        #expect(answers.elements == [.ended])
    }
}

private final class Keeper: Singleton {
    let container: Container
    let inner: Container

    init(container: Container, arguments: Void) {
        self.container = container
        inner = Container(in: container)
    }
}

private final class SessionKeeper: Singleton {
    static let scope = SingletonScope.session
    let container: Container

    init(container: Container, arguments: Void) {
        self.container = container
    }
}

private final class Model: PerRequest {
    let container: Container

    init(container: Container, arguments: Void) {
        self.container = container
    }
}

private final class Maker: Sendable {
    let model: Model

    init(model: Model) {
        self.model = model
    }
}

private final class Words: Sendable {
    private let container: Container
    private let onEnd: @Sendable (Container) -> Void

    init(_ container: Container, onEnd: @escaping @Sendable (Container) -> Void = { _ in }) {
        self.container = container
        self.onEnd = onEnd
    }

    deinit {
        onEnd(container)
    }
}
