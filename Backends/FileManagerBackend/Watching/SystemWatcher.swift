import SyncProtocol

/// How the system tells of changes to folders: inotify on Linux, kqueue on Apple platforms.
protocol FolderWatcher {
  /// Begins to watch before it returns. The stream ends when the folder is gone.
  static func changes(below folder: RemotePath, of root: Root) -> AsyncStream<Void>?
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
