import BackendConformance
import ChangeTracking
import Testing

@testable import SyncProtocol

extension DocumentHierarchy {
  /// The document that the devices of tests share.
  static let notes = ApplicationHierarchy(application: RemoteName(trusted: "com.example.notes"))
    .document(RemoteName(trusted: "notes"))
}

extension HeadName {
  /// A head with the code of nobody.
  init(author: AuthorID, sequence: UInt64, seen: UInt64, hash: ContentHash?) {
    guard let code = NameCode(String(repeating: "0", count: NameCode.digits)) else {
      preconditionFailure("zeros are digits")
    }
    self.init(author: author, sequence: sequence, seen: seen, hash: hash, code: code)
  }
}

extension MemoryBackend {
  /// The files whose names a type reads.
  func paths<Name>(_ read: (RemoteName) -> Name?) -> [RemotePath] {
    files.keys.filter { $0.name.flatMap(read) != nil }.sorted()
  }

  /// The folder of an application or document.
  func contains(below folder: RemotePath) -> Bool {
    files.keys.contains { $0.names.starts(with: folder.names) }
  }

  /// Writes a file and the folders that it needs.
  func place(_ bytes: [UInt8], at path: RemotePath) async throws {
    for count in 1..<path.names.count {
      try await makeDirectory(RemotePath(Array(path.names.prefix(count))))
    }
    try await upload(bytes, to: path)
  }

  /// Storage delivers late, or once more, what it held of a document.
  func putBack(_ files: [RemotePath: [UInt8]], of document: DocumentHierarchy) async throws {
    for (path, bytes) in files where path.names.starts(with: document.root.names) {
      try await place(bytes, at: path)
    }
  }

  /// Two devices that have written a note each, of which the second has both.
  func share(_ a: Device, _ b: Device, _ encryption: EncryptionChoice = .none) async throws {
    try await a.register(self, encryption)
    try a.write("one", "by a")
    try await a.sync(self)
    try await b.register(self, encryption)
    try await b.sync(self)
    try b.write("two", "by b")
    try await b.sync(self)
  }
}
