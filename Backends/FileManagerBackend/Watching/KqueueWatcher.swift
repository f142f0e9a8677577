#if canImport(Darwin)
  import Darwin
  import Dispatch
  import SyncProtocol

  /// Watches folders with kqueue(2), through Dispatch: one descriptor for each folder, and a look at all of them whenever one
  /// has changed. A file whose content changes in place is not noticed; nothing of ours does.
  final class KqueueWatcher: FolderWatcher, @unchecked Sendable {
    // The unchecked conformance is sound: state is touched on `queue` only.
    private let queue = DispatchQueue(label: "FileManagerBackend.changes")
    private let root: Root
    private let names: NameGrammar
    private let top: RemotePath
    private let told: AsyncStream<Void>.Continuation
    private var sources: [RemotePath: any DispatchSourceFileSystemObject] = [:]

    private init(
      _ top: RemotePath, _ root: Root, _ names: NameGrammar, _ told: AsyncStream<Void>.Continuation
    ) {
      self.root = root
      self.names = names
      self.top = top
      self.told = told
    }

    static func changes(
      below folder: RemotePath, of root: Root, _ names: NameGrammar,
      whenClosed: @escaping @Sendable () -> Void
    ) -> AsyncStream<Void>? {
      let (stream, told) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
      let watcher = KqueueWatcher(folder, root, names, told)
      watcher.queue.sync { watcher.lookAgain() }
      told.onTermination = { _ in
        watcher.queue.async {
          watcher.stop()
          whenClosed()
        }
      }
      return stream
    }

    /// Watches every folder that is not watched yet, and ends if the topmost one is gone.
    private func lookAgain() {
      watch(top, depth: 0)
      if sources[top] == nil { told.finish() }
    }

    private func watch(_ path: RemotePath, depth: Int) {
      guard depth <= watchedDepthLimit, let folder = try? Folder.open(path, below: root) else { return }
      if sources[path] == nil, sources.count < watchedFolderLimit {
        let descriptor = fcntl(folder.descriptor, F_DUPFD_CLOEXEC, 0)
        guard descriptor >= 0 else { return }
        let source = DispatchSource.makeFileSystemObjectSource(
          fileDescriptor: descriptor, eventMask: [.write, .delete, .rename, .revoke], queue: queue)
        source.setEventHandler { [weak self] in self?.folderChanged(path) }
        source.setCancelHandler { close(descriptor) }
        sources[path] = source
        source.resume()
      }
      guard let found = try? folder.names(path) else { return }
      for name in found.compactMap({ RemoteName($0.text, names) }) {
        let child = path.appending(name)
        if (try? folder.entry(name, child))?.kind == .folder { watch(child, depth: depth + 1) }
      }
    }

    private func folderChanged(_ path: RemotePath) {
      if let source = sources[path], !source.data.isDisjoint(with: [.delete, .rename, .revoke]) {
        source.cancel()
        sources[path] = nil
      }
      told.yield()
      lookAgain()
    }

    private func stop() {
      for source in sources.values { source.cancel() }
      sources = [:]
    }
  }
#endif
