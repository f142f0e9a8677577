import Locking
import SyncProtocol

// The short cut to many small files: what comes by it is what each of them is by itself. Whatever does not come is asked for by
// itself, so leaving files out breaks no law.
extension BackendConformance {
  static let atOnceLaws = [
    Law("what comes of a folder at once is what each file asked for is by itself, and nothing else") {
      context in
      let sizes = [
        ("empty", 0), ("small", 3), ("full", 1_000), ("large", 1_001), ("larger", 300_000), ("file", 20),
        ("file-2", 21), ("x_y", 22), ("xay", 23), ("twin", 24), ("unasked", 25),
      ]
      try await context.writeAtOnceFiles("folder", sizes, seed: 1)
      try await context.writeAtOnceFiles("other", [("absent", 30), ("twin", 24)], seed: 50)
      try await context.write([1], to: "folder/inner/deep")
      let names = [
        "absent", "small", "inner", "larger", "full", "empty", "large", "fil", "FILE", "file", "file-2",
        "x_y",
        "x-y", "deep", "twin", "small",
      ]
      var came = false
      for (folder, limit) in [
        ("folder", 1_000), ("folder", 0), ("folder", 1_001), ("folder", .max), ("", 1_000), ("other", 1_000),
        ("absent", 1_000), ("folder/file", 1_000), ("folder/inner", 1_000),
      ] {
        if try await !context.expectAtOnce(names, in: folder, limit: limit).isEmpty { came = true }
      }
      let none = try await context.expectAtOnce([], in: "folder", limit: 1_000)
      try context.expect(none.isEmpty, "of no names, \(none.keys.sorted()) came at once")
      let folder = try context.path("folder")
      let asked = try names.map { try context.name($0) }
      let cancelled = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        return await context.backend.downloadAtOnce(asked, in: folder, limit: 1_000)
      }
      for (name, bytes) in await cancelled.value {
        try await context.expectByItself(bytes, name, in: "folder", limit: 1_000, "in a cancelled task")
      }
      if !came { throw context.skip(LawContext.nothingAtOnce) }
    },
    Law("of hundreds of files that are asked for at once, each that comes is right") { context in
      let files = Dictionary(
        uniqueKeysWithValues: (0..<300).map { ("file-\($0)", LawContext.bytes(1 + $0, seed: UInt64($0))) })
      let folder = try context.path("folder")
      try await context.write(files["file-0"] ?? [], to: "folder/file-0")
      try await context.expectSomeAtOnce(["file-0"], in: "folder")
      // One by one, for what becomes of several uploads at once is a law of its own.
      for (name, bytes) in files {
        try await context.backend.upload(bytes, to: folder.appending(context.name(name)))
      }
      // In an order of their own, with some between them that are not there.
      let names = (0..<350).map { "file-\($0 * 3 % 350)" }
      let found = try await context.backend.downloadAtOnce(
        names.map { try context.name($0) }, in: folder, limit: 280)
      for (name, bytes) in found {
        let isRight =
          files[name.description].map { $0.count <= 280 && LawContext.areSame($0, bytes) } ?? false
        try context.expect(
          isRight,
          "of “\(name)”, number \(names.firstIndex(of: name.description).map { $0 + 1 } ?? 0) of \(names.count), \(bytes.count) bytes came at once that it has not, or that are more than the limit"
        )
      }
    },
    Law("what comes at once is what lies there then, whatever the client has read before") { context in
      let other = try await context.anotherClient()
      let names = ["kept", "replaced", "removed", "created", "moved"]
      for name in names where name != "created" { try await context.write([1], to: "folder/\(name)") }
      try await context.expectSomeAtOnce(names, in: "folder")
      try await other.upload([2, 2], to: context.path("folder/replaced"))
      try await other.remove(context.path("folder/removed"))
      try await other.upload([3], to: context.path("folder/created"))
      if try await context.moveIfPossible("folder/moved", to: "gone", by: other) {
        try await other.upload([4, 4, 4], to: context.path("folder/moved"))
      }
      try await context.expectAtOnceInTheEnd(names, in: "folder")
      try await other.remove(context.path("folder"))
      try await context.expectAtOnceInTheEnd(names, in: "folder")
      try await context.makeFolder("folder")
      try await other.upload([5], to: context.path("folder/kept"))
      try await context.expectAtOnceInTheEnd(names, in: "folder")
      guard let takeRootAway = context.storage.takeRootAway else { return }
      try await takeRootAway()
      let found = try await context.backend.downloadAtOnce(
        names.map { try context.name($0) }, in: context.path("folder"), limit: 10)
      try context.expect(found.isEmpty, "\(found.keys.sorted()) came at once from a root that has gone")
    },
    Law("of a file that is being written, what was there before comes at once, or nothing") { context in
      try context.require(.atomicReplace, "atomicReplace")
      let before = LawContext.bytes(10_000, seed: 1)
      try await context.write(before, to: "folder/replaced")
      try await context.expectSomeAtOnce(["replaced"], in: "folder", limit: 20_000)
      let reader = try await context.anotherClient()
      for name in ["fresh", "replaced"] {
        try await context.holdingUpload(to: context.path("folder/\(name)")) { _ in
          let found = try await reader.downloadAtOnce(
            ["fresh", "replaced"].map { try context.name($0) }, in: context.path("folder"),
            limit: context.sizes.heldFile)
          let bytes = try found[context.name(name)]
          let isRight = bytes.map { name == "replaced" && LawContext.areSame($0, before) } ?? true
          try context.expect(
            isRight, "while “\(name)” was written, \(bytes?.count ?? 0) bytes of it came at once")
        }
      }
    },
    Law("each of many files that come at once while others replace them is whole") { context in
      try context.require(.atomicReplace, "atomicReplace")
      let names = (0..<20).map { "file-\($0)" }
      let contents = [10_000, 60_000].map { LawContext.bytes($0, seed: UInt64($0)) }
      for name in names { try await context.write(contents[0], to: "folder/\(name)") }
      try await context.expectSomeAtOnce(names, in: "folder", limit: 100_000)
      let reader = try await context.anotherClient()
      let folder = try context.path("folder")
      let asked = try names.map { try context.name($0) }
      // What a reader may run into is short, so it is written until it was read often.
      let progress = Locked((reads: 0, isWritten: false))
      try await withThrowingTaskGroup { group in
        group.addTask {
          defer { progress.withLock { $0.isWritten = true } }
          var round = 0
          while round < 10 || round < 200 && progress.withLock({ $0.reads < 30 }) {
            round += 1
            for name in asked {
              try await context.backend.upload(contents[round % 2], to: folder.appending(name))
              await Task.yield()
            }
          }
        }
        group.addTask {
          while progress.withLock({ !$0.isWritten }), !Task.isCancelled {
            for (name, bytes) in await reader.downloadAtOnce(asked, in: folder, limit: 100_000) {
              try context.expect(
                contents.contains { LawContext.areSame($0, bytes) },
                "while others wrote, \(bytes.count) bytes of a mixture came of “\(name)”")
            }
            progress.withLock { $0.reads += 1 }
            await Task.yield()
          }
        }
        try await group.waitForAll()
      }
    },
  ]
}

extension LawContext {
  fileprivate static let nothingAtOnce = "the back end reads nothing at once"

  /// Writes files of given sizes, no two of which begin alike.
  fileprivate func writeAtOnceFiles(
    _ folder: String, _ files: [(name: String, size: Int)], seed: UInt64
  ) async throws {
    for (number, file) in files.enumerated() {
      try await write(Self.bytes(file.size, seed: seed + UInt64(number)), to: "\(folder)/\(file.name)")
    }
  }

  /// Asks for files at once, and compares what comes with what each of them is by itself.
  ///
  /// - Returns: what came.
  @discardableResult
  fileprivate func expectAtOnce(
    _ names: [String], in folder: String, limit: Int
  ) async throws -> [RemoteName: [UInt8]] {
    let found = try await backend.downloadAtOnce(names.map { try name($0) }, in: path(folder), limit: limit)
    let strange = Set(found.keys.map(\.description)).subtracting(names).sorted()
    try expect(strange.isEmpty, "\(strange), which nobody asked for, came at once from “\(folder)”")
    for (name, bytes) in found {
      try await expectByItself(bytes, name, in: folder, limit: limit, "with a limit of \(limit)")
    }
    return found
  }

  fileprivate func expectByItself(
    _ bytes: [UInt8], _ name: RemoteName, in folder: String, limit: Int, _ how: String
  ) async throws {
    let alone: [UInt8]
    do { alone = try await backend.download(path(folder).appending(name), limit: limit) } catch {
      throw ConformanceFailure(
        description:
          "of “\(name)” in “\(folder)”, \(bytes.count) bytes came at once \(how); by itself: \(error)")
    }
    try expect(
      Self.areSame(bytes, alone),
      "of “\(name)” in “\(folder)”, \(bytes.count) bytes came at once \(how), not the \(alone.count) that it has"
    )
  }

  /// Like `expectAtOnce`, as soon as the storage has caught up with what others did.
  fileprivate func expectAtOnceInTheEnd(_ names: [String], in folder: String) async throws {
    let start = ContinuousClock.now
    while true {
      do {
        _ = try await expectAtOnce(names, in: folder, limit: 10)
        return
      } catch let failure as ConformanceFailure {
        guard ContinuousClock.now - start < storage.lag else { throw failure }
        try await Task.sleep(for: .milliseconds(50))
      }
    }
  }

  /// Ends the check where nothing comes at once, though files lie there.
  fileprivate func expectSomeAtOnce(_ names: [String], in folder: String, limit: Int = 10) async throws {
    let found = try await backend.downloadAtOnce(names.map { try name($0) }, in: path(folder), limit: limit)
    if found.isEmpty { throw skip(Self.nothingAtOnce) }
  }
}
