import SyncProtocol

// Files whose last part or buffer is full, or as good as.
extension BackendConformance {
  static let partLaws = [
    Law(
      "a file that ends with a part, or a byte before or after its end, is the same wherever it comes from and goes"
    ) {
      context in
      let scratch = try ScratchFolder()
      let (source, target) = (scratch.file("source"), scratch.file("target"))
      let counts = Set(context.sizes.parts.flatMap { [$0 - 1, $0, $0 + 1, 2 * $0] }).sorted()
      for count in counts {
        let path = try context.path("file")
        for way in Way.allCases where way.isOfFile || count <= Way.mostInMemory {
          // Of another content each time, so that it is not what lay there before.
          let file = LargeFile(path: source, size: count, seed: way.seed)
          try file.write()
          try await context.write(file, to: path, way)
          let what = "a file of \(count) bytes, written \(way.rawValue),"
          let size = try await context.backend.stat(path).size
          try context.expect(size ?? Int64(count) == count, "\(what) is told to have \(size ?? 0)")
          try await context.backend.download(path, toFile: target)
          try context.expect(try file.matches(target), "\(what) was read into a file changed")
          guard count <= Way.mostInMemory else { continue }
          let found = try await context.backend.download(path, limit: count)
          try context.expect(
            LawContext.areSame(found, try scratch.read(source)),
            "\(what) was read into memory as \(found.count) bytes or others")
          try await context.expectFailure(.tooLarge, of: "reading \(count) bytes with a limit of one less") {
            try await context.backend.download(path, limit: count - 1)
          }
        }
      }
    }
  ]
}

/// Ways for a file to come into storage.
private enum Way: String, CaseIterable {
  case file = "from a file"
  case memory = "from memory"
  case newFile = "anew from a file"
  case newMemory = "anew from memory"

  /// What is read into memory or written from it is small.
  static let mostInMemory = 17 << 20

  var isOfFile: Bool { self == .file || self == .newFile }

  var seed: UInt8 {
    switch self {
    case .file: 1
    case .memory: 2
    case .newFile: 3
    case .newMemory: 4
    }
  }
}

extension LawContext {
  fileprivate func write(_ file: LargeFile, to path: RemotePath, _ way: Way) async throws {
    if way == .newFile || way == .newMemory, try await isPresent(path) { try await backend.remove(path) }
    switch way {
    case .file: try await backend.upload(file: file.path, to: path)
    case .memory: try await backend.upload(file.content(), to: path)
    case .newFile: try await backend.createIfAbsent(file: file.path, at: path)
    case .newMemory: try await backend.createIfAbsent(file.content(), at: path)
    }
  }
}
