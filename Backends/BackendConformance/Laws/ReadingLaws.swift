import Foundation
import SyncProtocol

extension BackendConformance {
  static let readingLaws = [
    Law("the root is there and empty", alsoOfPages: true) { context in
      let listing = try await context.backend.list(.root)
      try context.expect(listing.entries.isEmpty, "the root holds \(listing.entries.count) entries")
    },
    Law("a folder that does not exist is absent, not empty", alsoOfPages: true) { context in
      try await context.expectFailure(.notFound, of: "listing an absent folder") {
        try await context.backend.list(context.path("absent"))
      }
      try await context.expectFailure(.notFound, of: "listing below an absent folder") {
        try await context.backend.list(context.path("absent/below"))
      }
    },
    Law("a folder without entries is empty, not absent", alsoOfPages: true) { context in
      try context.requireEmptyFolders()
      try await context.makeFolder("empty")
      let names = try await context.names(in: "empty")
      try context.expect(names.isEmpty, "an empty folder lists \(names)")
    },
    Law("a file cannot be listed", alsoOfPages: true) { context in
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
      // Nor if a folder's name begins like its own.
      try await context.write([1], to: "absentee/file")
      try await context.expectFailure(.notFound, of: "downloading “absent” beside a folder “absentee”") {
        try await context.backend.download(absent, limit: 10)
      }
      try await context.expectFailure(.notFound, of: "examining “absent” beside a folder “absentee”") {
        try await context.backend.stat(absent)
      }
      do {
        try await context.backend.createIfAbsent([2], at: absent)
      } catch let error as BackendError where error.code == .alreadyExists {
        throw ConformanceFailure(
          description: "“absent” could not be created beside a folder “absentee”: \(error)")
      }
    },
    Law("a folder cannot be downloaded") { context in
      let folder = try context.path("folder")
      try await context.write([1], to: "folder/file")
      for place in [folder, .root] {
        try await context.expectFailure(.isADirectory, of: "downloading a folder") {
          try await context.backend.download(place, limit: 10)
        }
      }
    },
    Law("entries are listed and examined with their kind and size") { context in
      try await context.makeFolder("top/folder")
      if !context.keepsEmptyFolders { try await context.write([1], to: "top/folder/inner") }
      try await context.backend.upload([1, 2, 3], to: context.path("top/file"))
      try await context.backend.upload([], to: context.path("top/nothing"))
      let listing = try await context.backend.list(context.path("top"))
      let kinds = Dictionary(listing.entries.map { ($0.name.description, $0.kind) }) { first, _ in first }
      try context.expect(
        kinds == ["folder": .folder, "file": .file, "nothing": .file], "the listing says \(kinds)")
      for (name, size) in [("file", Int64(3)), ("nothing", 0)] {
        let examined = try await context.backend.stat(context.path("top/\(name)"))
        let listed = listing.entries.first { $0.name.description == name } ?? examined
        for entry in [examined, listed] {
          try context.expect(
            entry.kind == .file && (entry.size ?? size) == size, "a file of \(size) bytes is told as \(entry)"
          )
        }
      }
      // What is listed of a replaced file is not what it was at first.
      try await context.backend.upload([1, 2, 3, 4, 5], to: context.path("top/file"))
      let size = try await context.listed("file", in: "top")?.size ?? 5
      try context.expect(size == 5, "a file that was replaced by 5 bytes is listed with a size of \(size)")
      // A name is told as it is written, and a folder has a name and nothing else.
      try await context.write([1], to: "Top-Folder/Mixed.Name_X")
      for (text, kind) in [("Top-Folder", RemoteEntry.Kind.folder), ("Top-Folder/Mixed.Name_X", .file)] {
        let (path, told) = (try context.path(text), try await context.backend.stat(context.path(text)))
        try context.expect(told.kind == kind && told.name == path.name, "“\(text)” is examined as \(told)")
      }
      let folders = [
        ("examined", try await context.backend.stat(context.path("top/folder"))),
        ("listed", try await context.listed("folder", in: "top")),
      ]
      for case (let how, let folder?) in folders {
        try context.expect(
          folder.kind == .folder && folder.size == nil && folder.version == nil && folder.modified == nil,
          "a folder, which has neither size nor version nor date, is \(how) as \(folder)")
      }
    },
    Law("the date of a file is that of its last write") { context in
      let path = try context.path("file")
      try await context.backend.upload([1], to: path)
      let dates = [
        ("examined", try await context.backend.stat(path).modified),
        ("listed", try await context.listed("file", in: "")?.modified),
      ]
      guard dates.contains(where: { $0.1 != nil }) else { throw context.skip("the back end tells no dates") }
      for case (let how, let modified?) in dates {
        // The storage has a clock of its own, which is right but for minutes; a time zone or another epoch is more.
        let difference = modified - .seconds(Int64(Date().timeIntervalSince1970))
        try context.expect(
          abs(difference / .seconds(1)) < 1_500,
          "a file that was written just now is \(how) with a date \(difference) from now")
      }
    },
    Law("a file larger than the limit is refused, one of exactly the limit is read") { context in
      let path = try context.path("file")
      try await context.backend.upload([1, 2, 3], to: path)
      try await context.expectFailure(.tooLarge, of: "downloading three bytes with a limit of two") {
        try await context.backend.download(path, limit: 2)
      }
      try await context.expectFailure(.tooLarge, of: "downloading three bytes with a limit of none") {
        try await context.backend.download(path, limit: 0)
      }
      let bytes = try await context.backend.download(path, limit: 3)
      try context.expect(bytes == [1, 2, 3], "the limit changed the content")
      try await context.backend.upload([], to: context.path("nothing"))
      for limit in [0, 1, .max] {
        let nothing = try await context.backend.download(context.path("nothing"), limit: limit)
        try context.expect(nothing.isEmpty, "an empty file has \(nothing.count) bytes")
      }
      let all = try await context.backend.download(path, limit: .max)
      try context.expect(all == [1, 2, 3], "the greatest limit that there is changed the content")
    },
    Law("a failure names the entry that it happened to") { context in
      try await context.write([1], to: "folder/other")
      for (name, mayBeParent) in [("absent/file", true), ("folder/file", false)] {
        let absent = try context.path(name)
        do {
          _ = try await context.backend.download(absent, limit: 10)
        } catch let error as BackendError {
          try context.expect(
            error.path == absent || mayBeParent && error.path == absent.parent,
            "reading \(absent) failed at “\(error.path)”")
        }
      }
    },
    Law("a version that is told differs whenever the content does") { context in
      let path = try context.path("file")
      var versions: [String] = []
      var listed: [String] = []
      for round in UInt8(0)..<6 {
        try await context.backend.upload([round, 1, 2], to: path)
        if let version = try await context.listed("file", in: "")?.version { listed.append(version) }
        guard let version = try await context.backend.stat(path).version else {
          throw context.skip("the back end tells no versions")
        }
        let again = try await context.backend.stat(path).version
        try context.expect(again == version, "the version of a file that nobody wrote became another")
        versions.append(version)
      }
      try context.expect(Set(versions).count == versions.count, "six contents have the versions \(versions)")
      try context.expect(
        Set(listed).count == listed.count, "six contents are listed with the versions \(listed)")
      try await context.expectVersions(of: path)
    },
  ]
}

extension LawContext {
  /// Writes contents of one size that begin alike in all ways, and compares their versions.
  fileprivate func expectVersions(of path: RemotePath) async throws {
    let scratch = try ScratchFolder()
    let source = scratch.file("source")
    let writes: [(what: String, isFresh: Bool, write: @Sendable ([UInt8]) async throws -> Void)] = [
      ("uploaded", false, { try await backend.upload($0, to: path) }),
      ("uploaded again", false, { try await backend.upload($0, to: path) }),
      ("uploaded from a file", false, { _ in try await backend.upload(file: source, to: path) }),
      ("created after a removal", true, { try await backend.createIfAbsent($0, at: path) }),
      (
        "created from a file after a removal", true,
        { _ in try await backend.createIfAbsent(file: source, at: path) }
      ),
    ]
    var bytes = Self.bytes(3_000, seed: 1)
    var seen: [String: String] = [:]
    for (what, isFresh, write) in writes {
      bytes[bytes.count - 1] &+= 1
      try scratch.write(bytes, to: source)
      if isFresh { try await backend.remove(path) }
      try await write(bytes)
      guard let version = try await backend.stat(path).version else { continue }
      let other = seen.updateValue(what, forKey: version) ?? ""
      try expect(
        other.isEmpty, "what was \(what) has the version “\(version)” of what was \(other), and other content"
      )
    }
  }

  /// What a listing tells of an entry.
  fileprivate func listed(_ name: String, in folder: String) async throws -> RemoteEntry? {
    try await backend.list(path(folder)).entries.first { $0.name.description == name }
  }
}
