import Commands
import Examples
import ViewModelServer

@main struct ViewModelServerCommand: Server {
    static let name = Release.name
    static let version = Release.version

    func register(in registry: inout Registry) { Examples.register(in: &registry) }
}
