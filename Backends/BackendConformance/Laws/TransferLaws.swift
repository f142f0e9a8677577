import Foundation
import Locking
import SyncProtocol

extension BackendConformance {
  static let transferLaws = [
    Law("files of any size go from and to files of this device") { context in
      let scratch = try ScratchFolder()
      let mebibyte = 1 << 20
      // Services take parts of five or eight mebibytes, say.
      let multiples = [1, 4, 5, 8].map { $0 * mebibyte }
      for count in [0, 1, 65_535, 65_536, mebibyte + 1, 3_000_001] + multiples {
        let bytes = LawContext.bytes(count, seed: 5)
        let source = scratch.file("source")
        let target = scratch.file("target")
        try scratch.write(bytes, to: source)
        try await context.backend.upload(file: source, to: context.path("file-\(count)"))
        try await context.backend.download(context.path("file-\(count)"), toFile: target)
        try context.expect(
          LawContext.areSame(try scratch.read(target), bytes), "a file of \(count) bytes came back changed")
      }
      // The last part may be tiny, or as long as those before.
      for size in [8 * mebibyte + 5, 16 * mebibyte] {
        let file = LargeFile(path: scratch.file("source"), size: size, seed: 1)
        try file.write()
        try await context.backend.upload(file: file.path, to: context.path("large"))
        try await context.backend.download(context.path("large"), toFile: scratch.file("target"))
        try context.expect(
          try scratch.matches("target", file), "a file of \(size) bytes came back changed")
      }
    },
    Law("files that are downloaded into one folder at once do not disturb one another") { context in
      let scratch = try ScratchFolder()
      let contents = (0..<6).map { LawContext.bytes(400_000 + $0, seed: UInt64($0)) }
      for (number, content) in contents.enumerated() {
        try await context.backend.upload(content, to: context.path("file-\(number)"))
      }
      try await withThrowingTaskGroup { group in
        for number in contents.indices {
          let path = try context.path("file-\(number)")
          group.addTask {
            try await context.backend.download(path, toFile: scratch.file("file-\(number)"))
          }
        }
        try await group.waitForAll()
      }
      for (number, content) in contents.enumerated() {
        let found = try scratch.read(scratch.file("file-\(number)"))
        try context.expect(found == content, "file \(number) of \(contents.count) came mixed up")
      }
    },
    Law("a failed transfer leaves no file on either side") { context in
      let scratch = try ScratchFolder()
      try await context.expectFailure(.localFile, of: "uploading a local file that does not exist") {
        try await context.backend.upload(file: scratch.file("absent"), to: context.path("file"))
      }
      try await context.expectFailure(.notFound, of: "downloading an absent file") {
        try await context.backend.download(context.path("absent"), toFile: scratch.file("target"))
      }
      // A folder can be opened like a file, and then not be read.
      let folder = scratch.file("folder")
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
      try await context.expectFailure(.localFile, of: "uploading a local folder") {
        try await context.backend.upload(file: folder, to: context.path("file"))
      }
      try await context.expectFailure(.localFile, of: "creating a file from a local folder") {
        try await context.backend.createIfAbsent(file: folder, at: context.path("file"))
      }
      let names = try await context.names(in: "")
      try context.expect(names.isEmpty, "the failed uploads left \(names)")
      try await context.backend.upload([1], to: context.path("present"))
      try await context.expectFailure(.localFile, of: "downloading into a local folder that does not exist") {
        try await context.backend.download(context.path("present"), toFile: scratch.file("absent/target"))
      }
      try context.expect(scratch.names() == ["folder"], "the failed downloads left \(scratch.names())")
    },
    Law("a download replaces the local file, and leaves it as it was after a failure") { context in
      let scratch = try ScratchFolder()
      let target = scratch.file("target")
      try scratch.write([1, 2, 3, 4], to: target)
      try await context.expectFailure(.notFound, of: "downloading an absent file") {
        try await context.backend.download(context.path("absent"), toFile: target)
      }
      try context.expect(
        try scratch.read(target) == [1, 2, 3, 4], "a failed download changed the local file")
      try await context.backend.upload([5], to: context.path("file"))
      try await context.backend.download(context.path("file"), toFile: target)
      try context.expect(try scratch.read(target) == [5], "a download did not replace the local file")
      try context.expect(scratch.names() == ["target"], "the downloads left \(scratch.names())")
    },
    Law("create-if-absent from a file writes all of it, and never replaces") { context in
      let scratch = try ScratchFolder()
      let path = try context.path("file")
      let bytes = LawContext.bytes(300_000, seed: 6)
      try scratch.write(bytes, to: scratch.file("source"))
      try await context.backend.createIfAbsent(file: scratch.file("source"), at: path)
      try await context.expectContent(bytes, at: "file")
      try scratch.write([2], to: scratch.file("source"))
      try await context.expectFailure(.alreadyExists, of: "creating a file twice") {
        try await context.backend.createIfAbsent(file: scratch.file("source"), at: path)
      }
      try await context.expectContent(bytes, at: "file")
    },
    Law("progress is reported in between and ends with the size") { context in
      let scratch = try ScratchFolder()
      // More than twice the 8 MiB after which something must have been reported.
      let file = LargeFile(path: scratch.file("source"), size: 17 << 20, seed: 1)
      try file.write()
      let path = try context.path("file")
      func check(_ what: String, _ transfer: (@escaping TransferProgress) async throws -> Void) async throws {
        let reports = Locked<[Int64]>([])
        try await transfer { bytes in reports.withLock { $0.append(bytes) } }
        // A transfer that was tried again starts from the beginning; what counts is the last attempt.
        var attempt: [Int64] = []
        for bytes in reports.withLock({ $0 }) {
          if let last = attempt.last, bytes < last { attempt = [] }
          attempt.append(bytes)
        }
        try context.expect(
          attempt.last == Int64(file.size), "\(what) ended with a report of \(attempt.last ?? -1) bytes")
        let steps = zip(attempt, [0] + attempt).map { $0 - $1 }
        try context.expect(
          steps.allSatisfy { $0 <= 8 << 20 }, "\(what) reported nothing for \(steps.max() ?? 0) bytes")
        try context.expect(
          reports.withLock { $0.first } ?? 0 < Int64(file.size),
          "\(what) began with a report of the whole size")
      }
      try await check("an upload") {
        try await context.backend.upload(file: file.path, to: path, progress: $0)
      }
      try await check("a creation") {
        try await context.backend.createIfAbsent(file: file.path, at: context.path("created"), progress: $0)
      }
      try await check("a download") {
        try await context.backend.download(path, toFile: scratch.file("target"), progress: $0)
      }
    },
  ]
}
