import TestSupport
import Testing
import ViewModels

@Suite(.inTurn) struct ObservedTests {
    @Test func `an actor's property tells each new value, and none of the one it begins with`() async {
        let model = ActorList()
        let view = Values()
        await model.$values.subscribe(view) { $0.seen.record($1) }
        await model.add(1)
        await model.add(2)
        #expect(view.seen.elements == [[1], [1, 2]])
        #expect(await model.values == [1, 2])
        withExtendedLifetime(view) {}
    }

    @Test func `a main actor's property tells its View on the main actor`() async {
        let (model, view) = (MainList(), MainView())
        await view.follow(model)
        await MainActor.run {
            model.values = [1]
            model.values.append(2)
        }
        #expect(await view.seen.elements(count: 2) == [[1], [1, 2]])
        withExtendedLifetime((model, view)) {}
    }

    @Test func `its event is one and the same object for good`() async {
        let model = ActorList()
        let event = await model.$values
        await model.add(1)
        #expect(await model.$values === event)
    }

    @Test func `a handler is called before the setter returns`() async {
        let model = MainList()
        let view = Values()
        let handler: @Sendable (Values, [Int]) -> Void = { $0.seen.record($1) }
        await MainActor.run {
            model.$values.subscribe(view, handler: handler)
            model.values = [1]
            #expect(view.seen.elements == [[1]])
        }
        withExtendedLifetime(view) {}
    }

    @Test func `neither keeps the other`() async {
        weak var weakView: Values?
        weak var weakModel: ActorList?
        do {
            let model = ActorList()
            weakModel = model
            do {
                let view = Values()
                weakView = view
                await model.$values.subscribe(view) { $0.seen.record($1) }
            }
            #expect(weakView == nil)
            await model.add(1)
        }
        await until { weakModel == nil }
    }

    @Test func `a model's own tasks set it while Views come and go`() async {
        let model = ActorList()
        let steady = Values()
        await model.$values.subscribe(steady) { $0.seen.record($1) }
        await withTaskGroup { group in
            for task in 0..<4 {
                group.addTask { for index in 0..<100 { await model.add(task * 100 + index) } }
                group.addTask {
                    for _ in 0..<100 {
                        let view = Values()
                        await model.$values.subscribe(view) { $0.seen.record($1) }
                    }
                }
            }
        }
        #expect(steady.seen.elements.map(\.count) == Array(1...400))
        #expect(await steady.seen.elements.last == model.values)
        withExtendedLifetime(steady) {}
    }
}

private actor ActorList {
    @Observed var values: [Int] = []

    func add(_ value: Int) { values.append(value) }
}

@MainActor private final class MainList {
    @Observed var values: [Int] = []
}

private final class Values: Sendable {
    let seen = Recorder<[Int]>()
}

@MainActor private final class MainView {
    nonisolated let seen = Recorder<[Int]>()
    private var shown: [Int] = []

    func follow(_ model: MainList) {
        model.$values.subscribe(self) { this, values in
            this.shown = values
            this.seen.record(this.shown)
        }
    }
}
