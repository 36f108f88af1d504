import Synchronization
import ViewModels

/// A scene as its view models know it. Its container keeps this, and so not the scene, which keeps the container.
final class SceneNavigator: Navigator {
    private let reference: Mutex<WeakScene>

    init(_ scene: Scene) {
        reference = Mutex(WeakScene(scene: scene))
    }

    private var scene: Scene? { reference.withLock { $0.scene } }

    private struct WeakScene { weak var scene: Scene? }

    func show<Model: PerRequest & AnyObject>(
        _ type: Model.Type, arguments: Model.Arguments, by transition: Transition
    ) throws {
        guard let scene else { throw NavigationError.ended }
        try scene.show(type, arguments: arguments, by: transition)
    }

    func takeOff(_ transition: Transition) {
        scene?.takeOff(transition)
    }
}
