import SyncProtocol

/// How the system tells of changes to folders: inotify on Linux, kqueue on Apple platforms.
protocol FolderWatcher {
  /// Begins to watch before it returns. The stream ends when the folder is gone.
  ///
  /// - Parameters:
  ///   - folder: the topmost folder that is watched.
  ///   - root: where it lies.
  ///   - names: which names folders of ours may have; others are not watched.
  ///   - whenClosed: called once everything that the system has lent is given back, which happens in the background after the
  ///     stream has ended or nobody has it any more.
  static func changes(
    below folder: RemotePath, of root: Root, _ names: NameGrammar,
    whenClosed: @escaping @Sendable () -> Void
  ) -> AsyncStream<Void>?
}

#if os(Linux)
  typealias SystemWatcher = InotifyWatcher
#else
  typealias SystemWatcher = KqueueWatcher
#endif

/// How many folders are watched at most: each takes memory of the system, or a descriptor.
let watchedFolderLimit = 4_096

/// How deep folders are watched; the hierarchy of a remote has five levels.
let watchedDepthLimit = 32
