import Examples
import ViewModelServer

@main struct ViewModelServerCommand: Server {
    static func register(in registry: inout Registry) { Examples.register(in: &registry) }
}
