import TestSupport
import Testing
import ViewModels

@MainActor @Suite struct HelloLabelTests {
    private let view = HelloView()

    @Test func `the button makes the label say hello, and binding alone changes nothing`() async {
        let viewModel = HelloViewModel()
        view.bind(to: viewModel)
        #expect(view.helloLabel == "before")
        view.sayHelloButtonPressed()
        #expect(viewModel.helloText.value == "Hello")
        await until { view.helloLabel != "before" }
        #expect(view.helloLabel == "Hello")
    }

    @Test func `a label that is bound and fired shows what there is`() async {
        view.bindAndFire(to: HelloViewModel())
        await until { view.helloLabel != "before" }
        #expect(view.helloLabel == "")
        view.sayHelloButtonPressed()
        await until { view.helloLabel != "" }
        #expect(view.helloLabel == "Hello")
    }

    @Test(arguments: [true, false])
    func `the View and its view model go together`(fires: Bool) async {
        weak var weakView: HelloView?
        weak var weakViewModel: HelloViewModel?
        do {
            let view = HelloView()
            let viewModel = HelloViewModel()
            (weakView, weakViewModel) = (view, viewModel)
            if fires { view.bindAndFire(to: viewModel) } else { view.bind(to: viewModel) }
            view.sayHelloButtonPressed()
            await until { view.helloLabel == "Hello" }
        }
        // The call that came last may let go of them a moment later.
        await until { weakView == nil && weakViewModel == nil }
    }
}
