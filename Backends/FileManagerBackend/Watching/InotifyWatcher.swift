#if os(Linux)
  import Dispatch
  import SyncProtocol

  #if canImport(Glibc)
    import Glibc
  #else
    import Musl
  #endif

  /// Watches folders with inotify(7), which watches one folder at a time: those below are added as they appear.
  final class InotifyWatcher: FolderWatcher, @unchecked Sendable {
    // The unchecked conformance is sound: after `changes` has set everything up, state is touched on `queue` only.
    private let queue = DispatchQueue(label: "FileManagerBackend.changes")
    private let descriptor: Int32
    private let root: Root
    private let names: NameGrammar
    private let top: RemotePath
    private let told: AsyncStream<Void>.Continuation
    private var folders: [Int32: RemotePath] = [:]
    /// The folders from the root to the one above the topmost: if one of them goes, its place is somewhere else.
    private var above: Set<Int32> = []
    private var source: (any DispatchSourceRead)?

    private init(
      _ descriptor: Int32, _ top: RemotePath, _ root: Root, _ names: NameGrammar,
      _ told: AsyncStream<Void>.Continuation
    ) {
      self.descriptor = descriptor
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
      let descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
      // The system permits a number of watchers to each user.
      guard descriptor >= 0 else { return nil }
      InotifyWatcher(descriptor, folder, root, names, told).start(whenClosed)
      return stream
    }

    /// Watches and keeps itself until the consumer of the stream goes, or the folder does.
    private func start(_ whenClosed: @escaping @Sendable () -> Void) {
      queue.sync {
        // First, so that what is opened below them is what they held then or is noticed to have moved.
        for length in 0..<top.names.count { watchPlace(RemotePath(Array(top.names[..<length]))) }
        watch(top, depth: 0)
      }
      let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
      source.setEventHandler { self.read() }
      source.setCancelHandler {
        close(self.descriptor)
        self.told.finish()
        // Breaks the cycle of source, handler and watcher.
        self.source = nil
        whenClosed()
      }
      queue.sync { self.source = source }
      told.onTermination = { _ in self.queue.async { self.source?.cancel() } }
      source.resume()
      if queue.sync(execute: { folders.isEmpty }) { source.cancel() }
    }

    /// Watches whether a folder stays where it is.
    private func watchPlace(_ path: RemotePath) {
      guard let folder = try? Folder.open(path, below: root),
        let watch = add(folder, IN_DELETE_SELF | IN_MOVE_SELF)
      else { return }
      above.insert(watch)
    }

    private func add(_ folder: borrowing Folder, _ mask: some BinaryInteger) -> Int32? {
      // By its descriptor, so that no link that somebody puts in its place is followed.
      let watch = inotify_add_watch(
        descriptor, "/proc/self/fd/\(folder.descriptor)", UInt32(mask) | UInt32(IN_ONLYDIR))
      return watch >= 0 ? watch : nil
    }

    /// Watches a folder and those below.
    private func watch(_ path: RemotePath, depth: Int) {
      guard folders.count < watchedFolderLimit, depth <= watchedDepthLimit,
        let folder = try? Folder.open(path, below: root)
      else { return }
      let mask =
        IN_CREATE | IN_CLOSE_WRITE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE | IN_DELETE_SELF | IN_MOVE_SELF
        | IN_ATTRIB
      guard let watch = add(folder, mask) else { return }
      folders[watch] = path
      guard let found = try? folder.names(path) else { return }
      for name in found.compactMap({ RemoteName($0.text, names) }) {
        let child = path.appending(name)
        if (try? folder.entry(name, child))?.kind == .folder { self.watch(child, depth: depth + 1) }
      }
    }

    /// Watches no longer what was moved somewhere else. If that is watched, too, it is found there.
    private func forget(_ path: RemotePath) {
      for (watch, folder) in folders where folder.names.starts(with: path.names) {
        inotify_rm_watch(descriptor, watch)
        folders[watch] = nil
      }
    }

    private func read() {
      // Room for many events; each has a header of 16 bytes and a name of at most 256.
      let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 8)
      defer { buffer.deallocate() }
      var isNews = false
      while true {
        #if canImport(Glibc)
          let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
        #else
          let count = Musl.read(descriptor, buffer.baseAddress, buffer.count)
        #endif
        guard count > 0 else { break }
        var rest = UnsafeRawBufferPointer(rebasing: buffer[..<count])
        while let event = InotifyEvent(&rest) { isNews = take(event) || isNews }
      }
      if isNews { told.yield() }
    }

    /// Whether an event is to be told.
    private func take(_ event: InotifyEvent) -> Bool {
      // Events were lost: look at everything anew. Watching a folder again changes nothing.
      if event.has(IN_Q_OVERFLOW) {
        watch(top, depth: 0)
        return true
      }
      let isGone = event.has(IN_DELETE_SELF) || event.has(IN_MOVE_SELF) || event.has(IN_UNMOUNT)
      if isGone, above.contains(event.watch) {
        source?.cancel()
        return true
      }
      guard let folder = folders[event.watch] else { return false }
      if event.has(IN_IGNORED) { folders[event.watch] = nil }
      if isGone {
        if folder == top { source?.cancel() }
        return folder == top
      }
      if TemporaryName.matches(event.name) || SillyRename.matches(event.name) { return false }
      if event.has(IN_ISDIR), event.has(IN_MOVED_FROM), let name = RemoteName(event.name, names) {
        forget(folder.appending(name))
      }
      if event.has(IN_ISDIR), event.has(IN_CREATE) || event.has(IN_MOVED_TO),
        let name = RemoteName(event.name, names)
      {
        watch(folder.appending(name), depth: folder.names.count - top.names.count + 1)
      }
      return true
    }
  }

  /// `struct inotify_event` of inotify(7): watch, mask, cookie and length of 32 bits each, then a name padded with zeros.
  private struct InotifyEvent {
    let watch: Int32
    let name: String
    private let mask: UInt32

    /// Takes the next event; `nil` at the end.
    init?(_ rest: inout UnsafeRawBufferPointer) {
      guard rest.count >= 16 else { return nil }
      let length = Int(rest.loadUnaligned(fromByteOffset: 12, as: UInt32.self))
      guard rest.count - 16 >= length else { return nil }
      watch = rest.loadUnaligned(fromByteOffset: 0, as: Int32.self)
      mask = rest.loadUnaligned(fromByteOffset: 4, as: UInt32.self)
      name = String(decoding: rest[16..<16 + length].prefix { $0 != 0 }, as: UTF8.self)
      rest = UnsafeRawBufferPointer(rebasing: rest[(16 + length)...])
    }

    func has(_ flag: some BinaryInteger) -> Bool { mask & UInt32(truncatingIfNeeded: flag) != 0 }
  }
#endif
