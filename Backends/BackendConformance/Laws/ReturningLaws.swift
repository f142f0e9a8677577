import SyncProtocol

// What went away comes back, and watchers are told of it; of what is no change they are told nothing.
extension BackendConformance {
  static let returningLaws = [
    Law("a watcher is told of what is written into a folder that was removed and made again") { context in
      try context.require(.watch, "watch")
      let other = try await context.anotherClient()
      try await context.write([1], to: "watched/inner/deep/file")
      try await context.write([1], to: "watched/kept")
      let watcher = try await context.watcher(of: "watched")
      for round in 1...3 {
        try await other.remove(context.path("watched/inner"))
        try await context.makeAgain("watched/inner/deep", by: other)
        await watcher.waitUntilQuiet()
        try await other.upload([1], to: context.path("watched/inner/deep/file"))
        let isTold = await watcher.isTold(within: context.patience)
        try context.expect(
          isTold,
          "nothing was told of a file in a folder that was removed and made again, for the time number \(round)"
        )
      }
    },
    Law("a watcher whose folder is removed and made again is told of it, or its stream ends") { context in
      try context.require(.watch, "watch")
      let other = try await context.anotherClient()
      try await context.write([1], to: "place/watched/file")
      let watcher = try await context.watcher(of: "place/watched")
      for folder in ["place/watched", "place"] {
        try await other.remove(context.path(folder))
        try await context.makeAgain("place/watched", by: other)
        try await context.expectNews(
          watcher, of: "place/watched", by: other, "“\(folder)” was removed and made again")
      }
    },
    Law("a watcher of a folder that is not there is told of it when it comes, or its stream ends") {
      context in
      try context.require(.watch, "watch")
      let other = try await context.anotherClient()
      for folder in ["absent", "place/absent/inner"] {
        let watcher = try await context.watcher(of: folder)
        try await context.makeAgain(folder, by: other)
        try await context.expectNews(watcher, of: folder, by: other, "“\(folder)” came")
      }
      try await context.write([1], to: "file")
      let watcher = try await context.watcher(of: "file")
      try await other.remove(context.path("file"))
      try await context.makeAgain("file", by: other)
      try await context.expectNews(watcher, of: "file", by: other, "a folder came in the place of “file”")
      // Nor is a root that is not there waited for in silence.
      guard context.storage.takeRootAway != nil, context.storage.bringRootBack != nil else { return }
      var early: [(String, Watcher)] = []
      try await context.write([1], to: "watched/file")
      try await context.takingRootAway { _ in
        for folder in ["", "watched"] { early.append((folder, try await context.watcher(of: folder))) }
      }
      for (folder, watcher) in early {
        try await context.expectNews(
          watcher, of: "watched", by: other, "the root came back", watching: folder)
      }
    },
    Law("a watcher whose folder is moved away and made again is told of it, or its stream ends") { context in
      try context.require(.watch, "watch")
      try context.require(.move, "move")
      let other = try await context.anotherClient()
      for (number, folder) in ["top/place/watched", "top/place", "top"].enumerated() {
        try await context.write([1], to: "top/place/watched/file")
        let watcher = try await context.watcher(of: "top/place/watched")
        guard try await context.moveIfPossible(folder, to: "moved-\(number)", by: other) else {
          throw context.skip("the back end does not move folders")
        }
        try await context.makeAgain("top/place/watched", by: other)
        try await context.expectNews(
          watcher, of: "top/place/watched", by: other, "“\(folder)” was moved away and made again")
      }
    },
    Law("a watcher whose root was away for a moment is told of what comes then, or its stream ends") {
      context in
      try context.require(.watch, "watch")
      try await context.write([1], to: "watched/file")
      var watchers: [(String, Watcher)] = []
      for folder in ["", "watched"] { watchers.append((folder, try await context.watcher(of: folder))) }
      try await context.takingRootAway()
      let other = try await context.anotherClient()
      for (folder, watcher) in watchers {
        let place = folder.isEmpty ? "watched" : folder
        try await context.expectNews(watcher, of: place, by: other, "the root was away", watching: folder)
      }
    },
    Law("a root that comes back is as it was, to whoever has used it before") { context in
      let other = try await context.anotherClient()
      try await context.write([1], to: "folder/file")
      _ = try await other.list(.root)
      try await context.takingRootAway { path in
        // What they are told is a law of its own; they may remember it.
        for client in [context.backend, other] {
          _ = try? await client.download(path, limit: 10)
          _ = try? await client.list(.root)
        }
      }
      for client in [context.backend, other] {
        let names = [
          try await context.names(in: "", for: client), try await context.names(in: "folder", for: client),
        ]
        try context.expect(
          names == [["folder"], ["file"]], "after the root had come back, there was \(names)")
        try await context.expectContent([1], at: "folder/file", for: client)
        try await client.upload([2], to: context.path("folder/file"))
        try await context.expectContent([2], at: "folder/file", for: client)
        try await client.upload([1], to: context.path("folder/file"))
      }
    },
    Law("a watcher is not told for ever of what is no change in its folder") { context in
      try context.require(.watch, "watch")
      let other = try await context.anotherClient()
      try await context.write([1], to: "watched/inner/file")
      try await context.write([1], to: "watched/moving/file")
      try await context.write([1], to: "beside/file")
      for folder in ["watched-2", "watchedly"] { try await context.write([1], to: "\(folder)/file") }
      let watcher = try await context.watcher(of: "watched")
      let isMoved = try await context.moveIfPossible("watched/moving", to: "beside/moved", by: other)
      try await other.upload([2], to: context.path("watched/inner/file"))
      _ = await watcher.isTold(within: context.patience)
      await watcher.waitUntilQuiet()
      let actions: [(String, @Sendable () async throws -> Void)] = [
        ("nothing being done", {}),
        (
          "reading",
          {
            for client in [context.backend, other] {
              for folder in ["watched", "watched/inner"] { _ = try await client.list(context.path(folder)) }
              _ = try await client.stat(context.path("watched/inner/file"))
              _ = try await client.download(context.path("watched/inner/file"), limit: 10)
            }
          }
        ),
        ("writing beside the folder", { try await other.upload([2], to: context.path("beside/file")) }),
        (
          "writing into folders whose names begin alike",
          {
            for folder in ["watched-2", "watchedly"] {
              try await other.upload([2], to: context.path("\(folder)/file"))
            }
          }
        ),
        (
          "writing into what was moved out of the folder",
          { if isMoved { try await other.upload([2], to: context.path("beside/moved/file")) } }
        ),
      ]
      for (what, action) in actions {
        // What is told late of the changes before comes a few times, however late.
        let told = try await watcher.countTold(after: action)
        try context.expect(told < 8, "\(what), twenty times, was told as a change \(told) times")
      }
    },
  ]
}

extension LawContext {
  /// A watcher of a folder, from now on.
  func watcher(of folder: String, for client: (any SyncBackend)? = nil) async throws -> Watcher {
    guard let stream = try (client ?? backend).changes(below: path(folder)) else {
      throw skip("there is no stream of changes")
    }
    let watcher = Watcher()
    await watcher.read(stream)
    return watcher
  }

  /// Makes folders that have gone, one by one.
  fileprivate func makeAgain(_ folder: String, by other: any SyncBackend) async throws {
    guard keepsEmptyFolders else { return try await other.upload([1], to: path("\(folder)/first")) }
    var made = RemotePath.root
    for name in try path(folder).names {
      made = made.appending(name)
      if try await !isPresent(made, for: other) { try await other.makeDirectory(made) }
    }
  }

  /// Writes into a folder and looks whether who watched it before learns of that, and whether who watches it anew does.
  fileprivate func expectNews(
    _ watcher: Watcher, of folder: String, by other: any SyncBackend, _ after: String, watching: String? = nil
  ) async throws {
    await watcher.waitUntilQuiet()
    try await other.upload([2], to: path("\(folder)/news"))
    let isTold = await watcher.isToldOrEnded(within: patience)
    try expect(
      isTold,
      "after \(after), a stream of changes below “\(watching ?? folder)” neither told of a file nor ended")
    let anew = try await self.watcher(of: watching ?? folder)
    try await other.upload([3], to: path("\(folder)/news"))
    let isToldAnew = await anew.isTold(within: patience)
    try expect(
      isToldAnew,
      "after \(after), a new stream of changes below “\(watching ?? folder)” told nothing of a file")
  }

  /// Takes the root away for a moment.
  ///
  /// - Parameter meanwhile: called while it is away, with a file that is in it otherwise.
  fileprivate func takingRootAway(_ meanwhile: (RemotePath) async throws -> Void = { _ in })
    async throws
  {
    guard let takeRootAway = storage.takeRootAway, let bringRootBack = storage.bringRootBack else {
      throw skip("the suite was given no way to take the root away and to bring it back")
    }
    try await takeRootAway()
    try await meanwhile(path("folder/file"))
    try await bringRootBack()
  }
}
