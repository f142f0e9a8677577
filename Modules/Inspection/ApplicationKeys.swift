import Crypto
import SyncProtocol

/// The keys of one application on a remote.
enum ApplicationKeys: Sendable {
  /// There is no key file.
  case notEncrypted
  /// There are key files, and no password was given.
  case locked
  /// The keys that the password opens; the first is the one that devices seal with.
  case unlocked(KeyRing)

  /// Greatest size of a key file that is looked at, in bytes.
  static let sizeLimit = 64 << 10

  var ring: KeyRing? {
    if case .unlocked(let ring) = self { ring } else { nil }
  }

  /// Opens the key files below an application's folder.
  ///
  /// A file that is damaged is reported by the verification; here it only matters if no other opens.
  static func open(
    _ application: RemoteNode, password: String?, backend: any SyncBackend
  ) async throws(InspectionError) -> ApplicationKeys {
    let files = application.all.filter { $0.role == .keyFile }.compactMap(\.path).sorted()
    guard !files.isEmpty else { return .notEncrypted }
    guard let password else { return .locked }
    var keys: [MasterKey] = []
    var failure: InspectionError?
    for path in files {
      let bytes: [UInt8]
      do {
        bytes = try await backend.download(path, limit: sizeLimit)
      } catch {
        throw .storage(error)
      }
      do {
        keys.append(try KeyFile(parsing: bytes).unlock(password: password))
      } catch {
        let isWrong = error.code == .wrongPassword || error.code == .invalidPassword
        failure = isWrong ? .wrongPassword : .keyFile(path: path.description, error)
      }
    }
    guard let first = keys.first else { throw failure ?? .wrongPassword }
    return .unlocked(KeyRing(first, others: Array(keys.dropFirst())))
  }
}
