import Crypto
import SyncProtocol

extension RemoteInspector {
  /// What opens this remote with the keys of another copy of it; `nil` if those are not its keys. The password that holds now opens that copy
  /// alone where an old folder of keys was put back here.
  ///
  /// - Throws: ``InspectionError`` if one of them cannot be read.
  func opened(withKeysOf other: RemoteInspector) async throws(InspectionError) -> RemoteInspector? {
    let (_, copies) = try await other.treeWithApplications()
    guard let ring = copies.compactMap(\.keys.ring).first else { return nil }
    let opened = RemoteInspector(backend: backend, keys: ring, sizeLimit: sizeLimit)
    let (_, applications) = try await opened.treeWithApplications()
    let foundings = Set(copies.flatMap(\.foundingNames).map(\.integrityKey))
    let isSame = applications.contains { application in
      !foundings.isDisjoint(with: application.foundingNames.map(\.integrityKey))
    }
    return isSame ? opened : nil
  }
}
