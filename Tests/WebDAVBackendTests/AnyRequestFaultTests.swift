import SyncProtocol
import TemporaryFolders
import Testing
import WebDAVBackend

/// Each request of each operation meets each fault, on a server that keeps what it had or has what was asked for.
@Suite struct AnyRequestFaultTests {
  enum Operation: String, CaseIterable, Sendable {
    case listing, examining, reading, readingIntoFile, replacing, creating, makingFolder, moving, removing
  }

  private static let (old, new): ([UInt8], [UInt8]) = (
    Array("the old content".utf8), Array("what is new".utf8)
  )
  private static let faults = [
    "503", "503-after", "429-date", "423", "reset", "half-read", "lost", "cut", "short", "twice", "delay",
    "portal",
    "endless-head", "interim", "endless", "503-endless",
  ]

  private func path(_ text: String) throws -> RemotePath { try #require(RemotePath(text)) }

  private func run(_ operation: Operation, _ backend: any SyncBackend, _ folder: TemporaryFolder) async throws
  {
    switch operation {
    case .listing:
      #expect(try await Set(backend.list(.root).entries.map(\.name.description)) == ["file", "folder"])
    case .examining: #expect(try await backend.stat(path("file")).size == Int64(Self.old.count))
    case .reading: #expect(try await backend.download(path("file"), limit: 100) == Self.old)
    case .readingIntoFile:
      try await backend.download(path("file"), toFile: folder.file("target"))
      #expect(try folder.names == ["target"])
    case .replacing: try await backend.upload(Self.new, to: path("file"))
    case .creating: try await backend.createIfAbsent(Self.new, at: path("folder/new"))
    case .makingFolder: try await backend.makeDirectory(path("folder/inner"))
    case .moving: try await backend.move(path("file"), to: path("folder/moved"))
    case .removing: try await backend.remove(path("file"))
    }
  }

  @Test(arguments: Operation.allCases)
  func `whichever request meets a fault, nothing is wrong or half, and the error has a meaning`(
    _ operation: Operation
  ) async throws {
    let server = try await FaultyServer()
    for (fault, traits) in Self.faults.flatMap({ [($0, ServerTraits.unknown), ($0, .ofApache)] }) {
      // The fault meets the first request, the second, and so on, until none is left for it.
      for position in 0... {
        try await server.plan("")
        let backend = try server.backend(traits)
        let patient = try server.backend(traits, stallLimit: .seconds(3_600))
        try await prepare(patient)
        let folder = try TemporaryFolder()
        try await server.plan("* none \(position)\n* \(fault)")
        var isDone = true
        do {
          try await run(operation, backend, folder)
        } catch let error as BackendError {
          #expect(Self.meanings.contains(error.code), "\(fault) in request \(position): \(error)")
          #expect(try folder.names == [])
          isDone = false
        }
        let isUsed = try await server.isPlanUsed()
        try await server.plan("")
        let found = try await content(patient)
        #expect(
          found == changed(operation) || !isDone && found == ["file": Self.old],
          "\(fault) in request \(position): \(found)")
        guard isUsed else { break }
        try #require(position < 12, "the operation does not come to its end")
      }
    }
  }

  private func prepare(_ backend: WebDAVBackend) async throws {
    for entry in try await backend.list(.root).entries { try await backend.remove(RemotePath([entry.name])) }
    try await backend.upload(Self.old, to: path("file"))
    try await backend.makeDirectory(path("folder"))
  }

  private static let meanings: Set<BackendError.Code> = [
    .unreachable, .rateLimited, .locked, .damaged, .unauthorised,
    // What an operation finds that took effect although its answer was lost.
    .alreadyExists, .notFound,
    // What is missing after a page was taken for an answer.
    .failed,
    // What a file without an end is to whoever reads up to a limit.
    .tooLarge,
  ]

  /// All files and what they hold.
  private func content(_ backend: WebDAVBackend) async throws -> [String: [UInt8]] {
    var contents: [String: [UInt8]] = [:]
    for folder in [RemotePath.root, try path("folder")] {
      let listing = try await backend.list(folder)
      #expect(listing.foreign == [])
      for entry in listing.entries where entry.kind == .file {
        let file = folder.appending(entry.name)
        contents[file.description] = try await backend.download(file, limit: 100)
      }
    }
    return contents
  }

  private func changed(_ operation: Operation) -> [String: [UInt8]] {
    switch operation {
    case .replacing: ["file": Self.new]
    case .creating: ["file": Self.old, "folder/new": Self.new]
    case .moving: ["folder/moved": Self.old]
    case .removing: [:]
    default: ["file": Self.old]
    }
  }
}

extension ServerTraits {
  /// What the probe finds of Apache.
  static let ofApache: ServerTraits = {
    var traits = ServerTraits.unknown
    traits.writesAtomically = true
    traits.keepsFolders = true
    traits.needsFolders = true
    traits.honoursConditions = true
    traits.moves = true
    traits.refusesToOverwrite = true
    traits.makesFoldersOnce = true
    return traits
  }()
}
