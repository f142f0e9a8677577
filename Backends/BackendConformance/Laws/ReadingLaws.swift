import SyncProtocol

extension BackendConformance {
  static let readingLaws = [
    Law("the root is there and empty") { context in
      let listing = try await context.backend.list(.root)
      try context.expect(listing.entries.isEmpty, "the root holds \(listing.entries.count) entries")
    },
    Law("a folder that does not exist is absent, not empty") { context in
      try await context.expectFailure(.notFound, of: "listing an absent folder") {
        try await context.backend.list(context.path("absent"))
      }
      try await context.expectFailure(.notFound, of: "listing below an absent folder") {
        try await context.backend.list(context.path("absent/below"))
      }
    },
    Law("a folder without entries is empty, not absent") { context in
      try context.requireEmptyFolders()
      try await context.makeFolder("empty")
      let names = try await context.names(in: "empty")
      try context.expect(names.isEmpty, "an empty folder lists \(names)")
    },
    Law("a file cannot be listed") { context in
      try await context.backend.upload([1], to: context.path("file"))
      try await context.expectFailure(.notADirectory, of: "listing a file") {
        try await context.backend.list(context.path("file"))
      }
    },
    Law("a file that does not exist cannot be read or examined") { context in
      let absent = try context.path("absent")
      try await context.expectFailure(.notFound, of: "downloading an absent file") {
        try await context.backend.download(absent, limit: 10)
      }
      try await context.expectFailure(.notFound, of: "examining an absent file") {
        try await context.backend.stat(absent)
      }
    },
    Law("a folder cannot be downloaded") { context in
      let folder = try context.path("folder")
      try await context.write([1], to: "folder/file")
      try await context.expectFailure(.isADirectory, of: "downloading a folder") {
        try await context.backend.download(folder, limit: 10)
      }
    },
    Law("entries are listed and examined with their kind and size") { context in
      try await context.makeFolder("top/folder")
      if !context.keepsEmptyFolders { try await context.write([1], to: "top/folder/inner") }
      try await context.backend.upload([1, 2, 3], to: context.path("top/file"))
      let listing = try await context.backend.list(context.path("top"))
      let kinds = Dictionary(uniqueKeysWithValues: listing.entries.map { ($0.name.description, $0.kind) })
      try context.expect(kinds == ["folder": .folder, "file": .file], "the listing says \(kinds)")
      let file = try await context.backend.stat(context.path("top/file"))
      try context.expect(
        file.kind == .file && (file.size ?? 3) == 3, "a file of three bytes is examined as \(file)")
      let folder = try await context.backend.stat(context.path("top/folder"))
      try context.expect(folder.kind == .folder, "a folder is examined as \(folder)")
    },
    Law("a file larger than the limit is refused, one of exactly the limit is read") { context in
      let path = try context.path("file")
      try await context.backend.upload([1, 2, 3], to: path)
      try await context.expectFailure(.tooLarge, of: "downloading three bytes with a limit of two") {
        try await context.backend.download(path, limit: 2)
      }
      let bytes = try await context.backend.download(path, limit: 3)
      try context.expect(bytes == [1, 2, 3], "the limit changed the content")
    },
    Law("a failure names the entry that it happened to") { context in
      let absent = try context.path("absent/file")
      do {
        _ = try await context.backend.download(absent, limit: 10)
      } catch let error as BackendError {
        try context.expect(
          error.path == absent || error.path == absent.parent, "reading \(absent) failed at “\(error.path)”")
      }
    },
    Law("a version that is told differs whenever the content does") { context in
      let path = try context.path("file")
      var versions: [String] = []
      for round in UInt8(0)..<6 {
        try await context.backend.upload([round, 1, 2], to: path)
        guard let version = try await context.backend.stat(path).version else {
          throw context.skip("the back end tells no versions")
        }
        let again = try await context.backend.stat(path).version
        try context.expect(again == version, "the version of a file that nobody wrote became another")
        versions.append(version)
      }
      try context.expect(Set(versions).count == versions.count, "six contents have the versions \(versions)")
    },
  ]
}
