import SyncProtocol

// What lies between storage and the files and the memory of this device.
extension BackendConformance {
  static let deviceLaws = [
    Law("a file is the same in memory and in a file of this device, however it was written") { context in
      let scratch = try ScratchFolder()
      let (source, target) = (scratch.file("source"), scratch.file("target"))
      let path = try context.path("file")
      // Beyond the pieces that storage keeps and the parts that services take: the last one short, full, and of one byte.
      for count in [200_000, 1 << 20, context.sizes.heldFile / 2 + 1] {
        let bytes = LawContext.bytes(count, seed: UInt64(count))
        try scratch.write(bytes, to: source)
        let writes: [(how: String, write: () async throws -> Void)] = [
          ("from a file", { try await context.backend.upload(file: source, to: path) }),
          ("from memory", { try await context.backend.upload(bytes, to: path) }),
          (
            "anew from a file",
            { try await context.backend.createIfAbsent(file: source, at: context.path("new-\(count)")) }
          ),
          (
            "anew from memory",
            { try await context.backend.createIfAbsent(bytes, at: context.path("newer-\(count)")) }
          ),
        ]
        let names = ["file", "file", "new-\(count)", "newer-\(count)"]
        for ((how, write), name) in zip(writes, names) {
          let path = try context.path(name)
          try await write()
          let found = try await context.backend.download(path, limit: count)
          try context.expect(
            LawContext.areSame(found, bytes),
            "a file of \(count) bytes, written \(how), was read into memory as \(found.count) bytes or others"
          )
          try await context.backend.download(path, toFile: target)
          try context.expect(
            LawContext.areSame(try scratch.read(target), bytes),
            "a file of \(count) bytes, written \(how), was read into a file changed")
          try await context.expectSize(count, of: name, "a file of \(count) bytes, written \(how),")
        }
      }
    },
    Law("the sizes of large files are told as they are") { context in
      let scratch = try ScratchFolder()
      // Beyond sixteen bits, and beyond twenty-four where a held file has its usual size.
      for size in [65_535, 65_536, 70_001, context.sizes.heldFile + 3] {
        let file = LargeFile(path: scratch.file("source"), size: size, seed: 1)
        try file.write()
        try await context.backend.upload(file: file.path, to: context.path("file"))
        try await context.expectSize(size, of: "file", "a file of \(size) bytes")
      }
    },
    Law("a download touches no other file of this device") { context in
      let scratch = try ScratchFolder()
      let content = LawContext.bytes(300_000, seed: 1)
      try await context.backend.upload(content, to: context.path("file"))
      let others = """
        target.part target.partial target.tmp target.temp target~ target.new target.old target.bak target.download target.1 .target
        .target.part .target.tmp .target.swp target.crdownload part tmp temp download file file.part .file .file.tmp
        """.split(whereSeparator: \.isWhitespace).map(String.init)
      for other in others { try scratch.write(Array(other.utf8), to: scratch.file(other)) }
      let target = scratch.file("target")
      for round in 0..<2 {
        try await context.backend.download(context.path("file"), toFile: target)
        try context.expect(
          LawContext.areSame(try scratch.read(target), content), "download \(round + 1) of 2 came changed")
      }
      try await context.expectFailure(.notFound, of: "downloading an absent file") {
        try await context.backend.download(context.path("absent"), toFile: target)
      }
      try context.expect(
        scratch.names() == (others + ["target"]).sorted(),
        "of \(others.count) other files in the folder, downloads left \(scratch.names())")
      for other in others {
        let found = try scratch.read(scratch.file(other))
        try context.expect(found == Array(other.utf8), "a download into “target” changed “\(other)”")
      }
    },
    Law("progress never tells more than there is, and tells the whole in the end, of any size") { context in
      let scratch = try ScratchFolder()
      let (source, target) = (scratch.file("source"), scratch.file("target"))
      for size in [0, 3, 1 << 20 + 7, context.sizes.heldFile / 2 + 5] {
        try LargeFile(path: source, size: size, seed: 1).write()
        let path = try context.path("file-\(size)")
        try await context.expectProgress(of: size, "an upload") {
          try await context.backend.upload(file: source, to: path, progress: $0)
        }
        try await context.expectProgress(of: size, "a replacement") {
          try await context.backend.upload(file: source, to: path, progress: $0)
        }
        try await context.expectProgress(of: size, "a creation") {
          try await context.backend.createIfAbsent(
            file: source, at: context.path("created-\(size)"), progress: $0)
        }
        try await context.expectProgress(of: size, "a download") {
          try await context.backend.download(path, toFile: target, progress: $0)
        }
      }
    },
    Law("requests leave no file open, whether they succeed or fail") { context in
      let scratch = try ScratchFolder()
      try scratch.write([1, 2, 3], to: scratch.file("source"))
      try await context.write([1], to: "folder/file")
      try await context.write([1], to: "folder/inner/file")
      let requests = try context.requests(through: scratch)
      for _ in 0..<3 { for (_, request) in requests { await request() } }
      let (count, limit) = (40, 30)
      for (what, request) in requests {
        let left = try await OpenFiles.left(limit: limit, patience: min(context.patience, .seconds(5))) {
          for _ in 0..<count { await request() }
        }
        guard let left else {
          throw context.skip("how many files are open cannot be counted on this system")
        }
        try context.expect(left < limit, "\(what) \(count) times left \(left) more files open")
      }
    },
  ]
}

extension LawContext {
  /// Looks whether a file in the root is told with its size, if with any.
  fileprivate func expectSize(_ size: Int, of name: String, _ what: String) async throws {
    let examined = try await backend.stat(path(name)).size
    let listed = try await backend.list(.root).entries.first { $0.name.description == name }?.size
    for (how, told) in [("examined", examined), ("listed", listed)] {
      try expect(told ?? Int64(size) == size, "\(what) is \(how) with a size of \(told ?? 0)")
    }
  }

  /// All kinds of requests, what comes of them being no matter.
  fileprivate func requests(
    through scratch: ScratchFolder
  ) throws -> [(what: String, request: @Sendable () async -> Void)] {
    let (folder, file) = (try path("folder"), try path("folder/file"))
    let (absent, inner, below) = (
      try path("folder/absent"), try path("folder/inner"), try path("folder/file/below")
    )
    let (source, target) = (scratch.file("source"), scratch.file("target"))
    let names = try ["file", "absent", "inner"].map { try name($0) }
    let watches = backend.capabilities.contains(.watch)
    func trying(_ body: @escaping @Sendable () async throws -> Void) -> @Sendable () async -> Void {
      { try? await body() }
    }
    return [
      ("listing", trying { _ = try await backend.list(folder) }),
      ("listing a page", trying { _ = try await backend.list(folder, after: nil) }),
      ("listing a file", trying { _ = try await backend.list(file) }),
      ("listing what is absent", trying { _ = try await backend.list(absent) }),
      ("examining", trying { _ = try await backend.stat(file) }),
      ("examining what is absent", trying { _ = try await backend.stat(absent) }),
      ("reading", trying { _ = try await backend.download(file, limit: 10) }),
      ("reading what is absent", trying { _ = try await backend.download(absent, limit: 10) }),
      ("reading what is too large", trying { _ = try await backend.download(file, limit: 0) }),
      ("reading a folder", trying { _ = try await backend.download(inner, limit: 10) }),
      ("reading at once", { _ = await backend.downloadAtOnce(names, in: folder, limit: 10) }),
      ("downloading", trying { try await backend.download(file, toFile: target) }),
      ("downloading what is absent", trying { try await backend.download(absent, toFile: target) }),
      (
        "downloading to where nothing can be written",
        trying { try await backend.download(file, toFile: scratch.file("no/target")) }
      ),
      ("uploading", trying { try await backend.upload([1], to: file) }),
      ("uploading below a file", trying { try await backend.upload([1], to: below) }),
      ("uploading onto a folder", trying { try await backend.upload([1], to: inner) }),
      ("uploading from a file", trying { try await backend.upload(file: source, to: file) }),
      (
        "uploading from a file that is absent",
        trying { try await backend.upload(file: scratch.file("absent"), to: file) }
      ),
      ("uploading a file onto a folder", trying { try await backend.upload(file: source, to: inner) }),
      ("creating what is there", trying { try await backend.createIfAbsent([1], at: file) }),
      (
        "creating from a file what is there",
        trying { try await backend.createIfAbsent(file: source, at: file) }
      ),
      ("making a folder that is there", trying { try await backend.makeDirectory(inner) }),
      ("moving onto what is there", trying { try await backend.move(file, to: inner) }),
      (
        "creating, moving and removing",
        trying {
          try await backend.createIfAbsent([1], at: folder.appending(name("new")))
          try? await backend.move(folder.appending(name("new")), to: folder.appending(name("newer")))
          try? await backend.remove(folder.appending(name("new")))
          try? await backend.remove(folder.appending(name("newer")))
        }
      ),
      ("removing what is absent", trying { try await backend.remove(absent) }),
      (
        "watching for a moment",
        {
          guard watches, let stream = backend.changes(below: folder) else { return }
          let reader = Task { for await _ in stream {} }
          await Task.yield()
          reader.cancel()
          await reader.value
        }
      ),
    ]
  }
}
