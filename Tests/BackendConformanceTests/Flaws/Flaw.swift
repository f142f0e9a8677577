import BackendConformance
import SyncProtocol
import Testing

/// A back end that breaks one law, and keeps all others.
struct Flaw: Sendable, CustomTestStringConvertible {
  /// What is wrong with it.
  let testDescription: String
  /// The law that it breaks.
  let law: String
  let makeStorage: @Sendable () async throws -> ConformanceStorage
  /// How long its law waits for what this error keeps from coming.
  var patience = Duration.seconds(600)
  /// How many entries a folder must have for it to show.
  var entries: Int?
  /// For how long nothing must change for it to show.
  var idleness: Duration?
  /// Bytes of parts that a file must have for it to show.
  var parts: [Int] = []
  /// Laws that cannot be kept where that one is broken.
  var mayBreak: Set<String> = []

  /// The same error where other laws cannot be kept, either.
  func breaking(also laws: String...) -> Flaw {
    var flaw = self
    flaw.mayBreak.formUnion(laws)
    return flaw
  }

  /// The same error where folders are read page by page, and nowhere else.
  var inPagesOnly: Flaw {
    let makeStorage = makeStorage
    var flaw = Flaw(
      "\(testDescription), on pages", breaks: "\(law), page by page",
      on: {
        try await makeStorage().connecting { ($0 as? Variation)?.withListingsOnPages ?? $0 }
      })
    // What is wrong beside the listings stays as it is.
    flaw.mayBreak = mayBreak
    return flaw
  }

  /// Storage with an error of its own.
  static func inStorage(
    _ description: String, breaks law: String,
    _ makeStorage: @escaping @Sendable () async throws -> ConformanceStorage
  ) -> Flaw { Flaw(description, breaks: law, on: makeStorage) }

  /// Plants an error into every client of storage in memory.
  ///
  /// - Parameter plant: called once for a storage; what it returns is called for each client.
  init(
    _ description: String, breaks law: String,
    _ plant: @escaping @Sendable (MemoryBackend) -> @Sendable (inout Variation) -> Void
  ) {
    self.init(
      description, breaks: law,
      on: {
        let memory = MemoryBackend()
        let change = plant(memory)
        return ConformanceStorage(
          connect: {
            var client = Variation(memory)
            change(&client)
            return client
          }, absentRoot: { Self.absentRoot() },
          addForeign: { memory.addForeign($0, to: $1, holding: Array($0.utf8)) }, keepsContentInMemory: true)
      })
  }

  private init(
    _ description: String, breaks law: String,
    on makeStorage: @escaping @Sendable () async throws -> ConformanceStorage
  ) {
    testDescription = description
    self.law = law
    self.makeStorage = makeStorage
  }

  static func absentRoot() -> MemoryBackend {
    let absent = MemoryBackend()
    absent.setReachable(false)
    return absent
  }
}

extension MemoryBackend {
  /// All folders, one text each.
  var folders: [String] { snapshot.split(separator: "\n").filter { $0.hasSuffix("/") }.map(String.init) }

  /// The files below a folder, however deep.
  func files(below folder: RemotePath) -> [RemotePath: [UInt8]] {
    files.filter { $0.key != folder && $0.key.names.starts(with: folder.names) }
  }

  func isFolder(_ path: RemotePath) async -> Bool {
    if path == .root { return true }
    return (try? await stat(path))?.kind == .folder
  }

  /// Whether nothing of that name lies there.
  func isAbsent(_ path: RemotePath) async -> Bool {
    if path == .root { return false }
    return (try? await stat(path)) == nil
  }
}

extension RemotePath {
  /// Whether another path is this one where an underscore stands for any character.
  func matchesAsPattern(_ other: RemotePath) -> Bool {
    let (pattern, text) = (Array(description.utf8), Array(other.description.utf8))
    return pattern.count == text.count
      && zip(pattern, text).allSatisfy { $0 == UInt8(ascii: "_") || $0 == $1 }
  }
}

/// Does something that the cancellation of the calling task does not end.
func uncancelled(_ body: @escaping @Sendable () async throws -> Void) async {
  await Task { try? await body() }.value
}

/// Lets others run in between.
func pause() async { try? await Task.sleep(for: .milliseconds(2)) }
