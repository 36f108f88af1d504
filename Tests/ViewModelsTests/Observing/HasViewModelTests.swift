import TestSupport
import Testing
import ViewModels

@MainActor @Suite struct HasViewModelTests {
    private let cell = NameCell()

    @Test func `a view model that is set is shown at once`() {
        #expect(cell.viewModel == nil)
        let model = Name("a")
        cell.viewModel = model
        #expect(cell.shown == ["a"])
        #expect(cell.viewModel === model)
        #expect(cell.anyViewModel as? Name === model)
    }

    @Test func `one of the right type is shown by who doesn't know the type`() {
        let cells: [any HasAnyViewModel] = [cell, NumberCell()]
        cells[0].anyViewModel = Name("a")
        cells[1].anyViewModel = 7
        #expect(cell.shown == ["a"])
        #expect((cells[1] as? NumberCell)?.text == "7")
    }

    @Test func `one of the wrong type is ignored, and the one before stays and is listened to`() async {
        let model = Name("a")
        cell.anyViewModel = model
        cell.anyViewModel = 7
        cell.anyViewModel = "b"
        #expect(cell.shown == ["a"])
        #expect(cell.viewModel === model)
        model.rename("c")
        await until { cell.shown.count == 2 }
        #expect(cell.shown == ["a", "c"])
    }

    @Test(arguments: [true, false])
    func `nil takes it off, and it is no longer listened to`(byItsType: Bool) async {
        let model = Name("a")
        cell.viewModel = model
        if byItsType { cell.viewModel = nil } else { cell.anyViewModel = nil }
        #expect(cell.viewModel == nil)
        #expect(cell.anyViewModel == nil)
        await rename(model, "b")
        #expect(cell.shown == ["a"])
    }

    @Test func `one that notifies is shown anew, on the main actor`() async {
        let model = Name("a")
        cell.viewModel = model
        await Task.detached { model.rename("b") }.value
        await until { cell.shown.count == 2 }
        await onThread { model.rename("c") }
        await until { cell.shown.count == 3 }
        #expect(cell.shown == ["a", "b", "c"])
    }

    @Test func `the one before is no longer listened to, not even for what it notified of already`() async {
        let (first, second) = (Name("first"), Name("second"))
        cell.viewModel = first
        first.rename("first again")
        cell.viewModel = second
        await rename(first, "first once more")
        second.rename("second again")
        await until { cell.shown.last == "second again" }
        #expect(cell.shown == ["first", "second", "second again"])
    }

    @Test func `one that is set twice is listened to once`() async {
        let model = Name("a")
        cell.viewModel = model
        cell.viewModel = model
        await rename(model, "b")
        #expect(cell.shown == ["a", "a", "b"])
    }

    @Test func `the View may have a subscription of its own`() async {
        let model = Name("a")
        let seen = Recorder<String>()
        cell.viewModel = model
        model.changed.subscribe(cell) { _ in seen.record("its own") }
        model.rename("b")
        #expect(await seen.elements(count: 1) == ["its own"])
        #expect(cell.shown == ["a", "b"])
    }

    @Test func `a View may be given another view model while it shows one`() {
        let picky = PickyCell()
        picky.viewModel = 1
        #expect(picky.shown == [1, 2, 3])
        #expect(picky.viewModel == 3)
    }

    @Test func `the view model goes with its View`() {
        weak var weakCell: NameCell?
        weak var weakModel: Name?
        do {
            let cell = NameCell()
            let model = Name("a")
            (weakCell, weakModel) = (cell, model)
            cell.viewModel = model
        }
        #expect(weakCell == nil)
        #expect(weakModel == nil)
    }

    @Test func `a View goes before its view model, which then notifies nobody`() {
        let model = Name("a")
        weak var weakCell: NameCell?
        do {
            let cell = NameCell()
            weakCell = cell
            cell.viewModel = model
        }
        #expect(weakCell == nil)
        model.changed.raise()
    }

    /// Renames a view model, and returns when all that listen to it have been called.
    private func rename(_ model: Name, _ name: String) async {
        let last = Owner("last", Recorder())
        model.changed.subscribe(last) { @MainActor last in last.record("called") }
        model.rename(name)
        _ = await last.seen.elements(count: 1)
        model.changed.unsubscribe(last)
    }

    @Test func `the view model before goes when another is set, or none`() {
        weak var first: Name?
        weak var second: Name?
        do {
            let model = Name("first")
            first = model
            cell.viewModel = model
        }
        #expect(first != nil)
        do {
            let model = Name("second")
            second = model
            cell.viewModel = model
        }
        #expect(first == nil)
        #expect(second != nil)
        cell.viewModel = nil
        #expect(second == nil)
    }

    @Test func `a View that notifications wait for goes, with its view model`() async {
        weak var weakCell: NameCell?
        weak var weakModel: Name?
        do {
            let cell = NameCell()
            let model = Name("a")
            (weakCell, weakModel) = (cell, model)
            cell.viewModel = model
            for _ in 0..<10 { model.changed.raise() }
        }
        #expect(weakCell == nil)
        #expect(weakModel == nil)
    }
}

private final class Name: NotifiesOnChange {
    let changed = Event<Void>()
    private let text: Dynamic<String>

    init(_ text: String) { self.text = Dynamic(text) }

    nonisolated var name: String { text.value }

    func rename(_ name: String) {
        text.value = name
        changed.raise()
    }
}

private final class NameCell: ViewModelOwner, HasViewModel {
    private(set) var shown: [String] = []

    func viewModelChanged(_ viewModel: Name) {
        shown.append(viewModel.name)
    }
}

private class Widget {}

/// With a base class of its own.
private final class NumberCell: Widget, HasViewModel {
    let viewModelSlot = ViewModelSlot()
    private(set) var text = ""

    func viewModelChanged(_ viewModel: Int) {
        text = "\(viewModel)"
    }
}

private final class PickyCell: ViewModelOwner, HasViewModel {
    private(set) var shown: [Int] = []

    func viewModelChanged(_ viewModel: Int) {
        shown.append(viewModel)
        if viewModel < 3 { self.viewModel = viewModel + 1 }
    }
}
