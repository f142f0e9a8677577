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
}
