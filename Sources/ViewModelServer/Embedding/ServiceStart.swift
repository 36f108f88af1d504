import Hosting
import Serving
import Sessions
import Stores
import Transport

/// A service while it serves.
struct ServiceRun {
    let server: RunningServer
    let loops: ServerLoops
    let addresses: [ViewModelService.Address]

    /// Drains, and releases everything.
    func finish() async {
        await Task.detached(executorPreference: loops.control) { [server] in
            server.stopListening()
            await server.drain()
            await server.stopSessions()
            await server.closeStore()
            server.stop()
        }.value
    }
}

/// Starts a service.
struct ServiceStart {
    let configuration: ViewModelService.Configuration
    let registry: Registry
    /// Opened once the service is to end: then the store isn't waited for.
    let end: Latch
    /// Called once, if another server takes the store over, with the reason.
    let onTakeover: @Sendable (String) -> Void

    /// Returns the service once it serves.
    ///
    /// - Throws: `StartError`; `CancellationError` where it was to end while it waited for its store.
    func run() async throws -> ServiceRun {
        let limits = configuration.limits
        let log = ServerLog(
            level: configuration.logLevel, clientLines: limits.clientLogLines, lines: limits.logLines,
            entries: configuration.log)
        let tokens = try configuration.access.tokens()
        let page = try pageFiles()
        if let tcp = configuration.tcp, !tcp.isLoopback, tokens == nil {
            throw Self.openToAll(RunningServer.OpenToAll(address: "\(tcp)"))
        }
        let store = try await openStore(log)
        do {
            let loops = try ServerLoops(count: ServerLoops.countForMany, limits: limits, log: log)
            let core = ServerCore(
                name: configuration.name, version: configuration.version, registry: registry, limits: limits,
                tokens: tokens, log: log, pool: loops.pool, links: store?.links(on: loops.clients),
                timers: loops.control, journal: store?.journal)
            core.sessions.watchMemory(
                MemoryWatch(memoryBytes: limits.memoryBytes, unusedBytes: limits.unusedBytes, timers: loops.control))
            let web = RunningServer.Web(
                page: page, allowedOrigins: configuration.allowedOrigins, opensMetrics: configuration.opensMetrics)
            let server = RunningServer(core, on: loops, log: log, store: store) { web }
            do {
                try server.start(sweepsStore: store != nil)
            } catch {
                // Some of the loops may have started.
                server.stop()
                throw error
            }
            do {
                let addresses = try await listen(server, on: loops.control)
                return ServiceRun(server: server, loops: loops, addresses: addresses)
            } catch {
                await ServiceRun(server: server, loops: loops, addresses: []).finish()
                throw error
            }
        } catch let error as SystemError {
            await store?.close()
            throw ViewModelService.StartError(.system, "\(error)")
        }
    }

    private func pageFiles() throws(ViewModelService.StartError) -> [WebFile]? {
        guard configuration.hasPage else { return nil }
        guard let folder = configuration.pageViews else { return WebFile.embedded }
        do throws(PageFiles.Mistake) {
            return WebFile.embedded + (try PageFiles.ownViews(in: folder))
        } catch {
            throw ViewModelService.StartError(.configuration, "\(error)")
        }
    }

    private static func openToAll(_ error: RunningServer.OpenToAll) -> ViewModelService.StartError {
        ViewModelService.StartError(.configuration, "\(error); give clients tokens (access)")
    }

    /// Opens the store on a thread of its own, since that may take long.
    private func openStore(_ log: ServerLog) async throws -> OpenStore? {
        guard let place = configuration.store else { return nil }
        do { try registry.checkDurability() } catch { throw ViewModelService.StartError(.configuration, "\(error)") }
        let source = try place.source()
        return try await withCheckedThrowingContinuation { continuation in
            let open: @Sendable () -> Result<OpenStore?, any Error> = { [end, onTakeover] in
                do {
                    return .success(
                        try OpenStore(
                            source, place.use, log: log, isCancelled: { end.isOpen }, onTakeover: onTakeover))
                } catch let error as CancellationError {
                    return .failure(error)
                } catch let error as StoreError {
                    return .failure(ViewModelService.StartError(.store, "the store can't be used: \(error.reason)"))
                } catch {
                    return .failure(ViewModelService.StartError(.system, "\(error)"))
                }
            }
            do throws(SystemError) {
                try Thread.start("store") { continuation.resume(with: open()) }
            } catch {
                continuation.resume(throwing: ViewModelService.StartError(.system, "\(error)"))
            }
        }
    }

    private func listen(_ server: RunningServer, on control: EventLoop) async throws -> [ViewModelService.Address] {
        let (tcp, unix) = (configuration.tcp, configuration.unix)
        return try await withCheckedThrowingContinuation { continuation in
            control.execute {
                continuation.resume(with: Self.listen(server, tcp, unix))
            }
        }
    }

    /// Looking up a host may take time, so that this is on the control loop.
    private static func listen(
        _ server: RunningServer, _ tcp: TCPAddress?, _ unix: String?
    ) -> Result<[ViewModelService.Address], any Error> {
        do {
            var addresses: [ViewModelService.Address] = []
            if let tcp {
                let listener = try server.listen(ListeningSocket(host: tcp.host, port: tcp.port))
                addresses.append(.tcp(TCPAddress(host: tcp.host, port: listener.port ?? tcp.port)))
            }
            if let unix {
                try server.listen(path: unix)
                addresses.append(.unix(unix))
            }
            return .success(addresses)
        } catch let error as RunningServer.OpenToAll {
            return .failure(openToAll(error))
        } catch {
            return .failure(ViewModelService.StartError(.address, "\(error)"))
        }
    }
}
