import SyncProtocol

// A transfer is held in the middle, and another client looks.
extension BackendConformance {
  static let interleavingLaws = [
    Law("a file that is still being written under a fresh name is nowhere to be seen") { context in
      try context.require(.atomicReplace, "atomicReplace")
      let path = try context.path("file")
      let reader = try await context.anotherClient()
      try await context.holdingUpload(to: path) { _ in
        let listing = try await reader.list(.root)
        try context.expect(listing == RemoteListing(), "while it was written, a reader saw \(listing)")
        try await context.expectFailure(.notFound, of: "reading a file that is being written") {
          try await reader.download(path, limit: context.sizes.heldFile)
        }
        try await context.expectFailure(.notFound, of: "examining a file that is being written") {
          try await reader.stat(path)
        }
      }
      try context.expect(
        try await context.backend.stat(path).size.map { $0 == context.sizes.heldFile } ?? true,
        "the file did not come to be")
    },
    Law("a file that is being replaced shows what it held before") { context in
      try context.require(.atomicReplace, "atomicReplace")
      let path = try context.path("file")
      let before = LawContext.bytes(10_000, seed: 1)
      try await context.backend.upload(before, to: path)
      let reader = try await context.anotherClient()
      try await context.holdingUpload(to: path) { _ in
        try await context.expectContent(before, at: "file", for: reader)
        let names = try await context.names(in: "", for: reader)
        try context.expect(names == ["file"], "while it was replaced, a reader saw \(names)")
      }
    },
    Law("of two clients that create one name, the one that finishes later fails") { context in
      try context.require(.honestCreateIfAbsent, "honestCreateIfAbsent")
      let path = try context.path("file")
      let other = try await context.anotherClient()
      let scratch = try ScratchFolder()
      let file = LargeFile(path: scratch.file("source"), size: context.sizes.heldFile, seed: 1)
      try file.write()
      let result = try await context.holding { progress in
        try await context.backend.createIfAbsent(file: file.path, at: path, progress: progress)
      } middle: { _ in
        try await other.createIfAbsent([1], at: path)
      }
      try await context.expectFailure(.alreadyExists, of: "creating a name that was taken meanwhile") {
        try result.get()
      }
      try await context.expectContent([1], at: "file")
    },
    Law("of two clients that write one file, one amid the other's transfer, the whole content of one stays") {
      context in
      try context.require(.atomicReplace, "atomicReplace")
      let path = try context.path("file")
      let other = try await context.anotherClient()
      let scratch = try ScratchFolder()
      let files = context.heldFiles(in: scratch)
      for file in files { try file.write() }
      // Whether the first still succeeds is up to the storage.
      _ = try await context.holding { progress in
        try await context.backend.upload(file: files[0].path, to: path, progress: progress)
      } middle: { _ in
        try await other.upload(file: files[1].path, to: path)
      }
      try await context.backend.download(path, toFile: scratch.file("target"))
      try context.expect(
        try files.contains { try scratch.matches("target", $0) }, "what stayed is the content of neither")
    },
    Law("a file that is replaced while it is downloaded arrives as it was or as it is, or not at all") {
      context in
      try context.require(.atomicReplace, "atomicReplace")
      let path = try context.path("file")
      let other = try await context.anotherClient()
      let scratch = try ScratchFolder()
      let files = context.heldFiles(in: scratch)
      for file in files { try file.write() }
      try await context.backend.upload(file: files[0].path, to: path)
      let result = try await context.holding { progress in
        try await context.backend.download(path, toFile: scratch.file("target"), progress: progress)
      } middle: { _ in
        try await other.upload(file: files[1].path, to: path)
      }
      guard case .success = result else { return }
      try context.expect(
        try files.contains { try scratch.matches("target", $0) },
        "a download that succeeded is neither what the file held before nor what it holds now")
    },
    Law("a folder of which a file is being read is removed, or is locked until that has ended") { context in
      let (folder, path) = try (context.path("folder"), context.path("folder/file"))
      let other = try await context.anotherClient()
      let scratch = try ScratchFolder()
      let file = context.heldFiles(in: scratch)[0]
      try file.write()
      try await context.makeFolder("folder")
      try await context.backend.upload(file: file.path, to: path)
      var isLocked = false
      let result = try await context.holding { progress in
        try await context.backend.download(path, toFile: scratch.file("target"), progress: progress)
      } middle: { _ in
        do { try await other.remove(folder) } catch let error as BackendError where error.code == .locked {
          isLocked = true
        }
      }
      if case .success = result {
        try context.expect(
          try scratch.matches("target", file), "of a file that was removed meanwhile, something else arrived")
      }
      if isLocked { try await other.remove(folder) }
      let names = try await context.names(in: "")
      try context.expect(names.isEmpty, "after its removal there is \(names)")
    },
    Law("a file that is removed while it is replaced is whole or gone") { context in
      try context.require(.atomicReplace, "atomicReplace")
      let path = try context.path("file")
      try await context.backend.upload([1], to: path)
      let other = try await context.anotherClient()
      let file = try await context.holdingUpload(to: path) { _ in try await other.remove(path) }
      let scratch = try ScratchFolder()
      do {
        try await context.backend.download(path, toFile: scratch.file("target"))
      } catch let error as BackendError where error.code == .notFound { return }
      let size = file.size
      try context.expect(
        try scratch.matches("target", LargeFile(path: "", size: size, seed: 1)), "there is a part of the file"
      )
    },
  ]
}

extension LawContext {
  /// Two files of `heldFile` bytes that differ in every piece.
  func heldFiles(in scratch: ScratchFolder) -> [LargeFile] {
    (1...2).map { LargeFile(path: scratch.file("source-\($0)"), size: sizes.heldFile, seed: $0) }
  }

  /// Uploads a file of `heldFile` bytes and lets something happen in the middle.
  @discardableResult
  func holdingUpload(
    to path: RemotePath, _ middle: (_ task: Task<Void, any Error>) async throws -> Void
  ) async throws -> LargeFile {
    let scratch = try ScratchFolder()
    let file = LargeFile(path: scratch.file("source"), size: sizes.heldFile, seed: 1)
    try file.write()
    let backend = backend
    try await holding { progress in
      try await backend.upload(file: file.path, to: path, progress: progress)
    } middle: { task in
      try await middle(task)
    }.get()
    withExtendedLifetime(scratch) {}
    return file
  }
}

extension ScratchFolder {
  /// Whether a file in the folder holds what it should.
  func matches(_ name: String, _ content: LargeFile) throws -> Bool { try content.matches(file(name)) }
}
